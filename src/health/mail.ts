/**
 * Mails changes of health to the people who are operators: at once, then at most every 20 minutes over all processes.
 * What waits for that is in memory: the last change of each task. The event, the metric and the console have it too, so a
 * lost mail does no harm.
 *
 * @module
 */
import { health as healthRows } from '../../projections/health.ts'
import { type PersonRow, people } from '../../projections/people.ts'
import { isCapturedCode } from '../domain/codes.ts'
import { HEALTHS, WORST_FIRST } from '../domain/health/standing.ts'
import type { PersonId } from '../domain/ids.ts'
import type { EphemeralStore } from '../ephemeral/ephemeral-store.ts'
import { unlessAway } from '../log/away.ts'
import type { Mail } from '../people/mail.ts'
import { loadProfile } from '../people/profiles.ts'
import type { ReadModels } from '../read/read-models.ts'
import { requireProjected, type WaitUntilProjected } from '../read/wait-until-projected.ts'
import type { Vault } from '../vault/vault.ts'
import type { HealthChange } from './watch.ts'
import { driftWords, minuteOf } from './words.ts'

export type HealthMailOptions = {
  /** undefined: nothing is mailed */
  readonly mail: Mail | undefined
  readonly readModels: ReadModels
  readonly waitUntilProjected: WaitUntilProjected
  readonly vault: Vault
  readonly ephemeral: Pick<EphemeralStore, 'take'>
  /** of the service, without a trailing slash */
  readonly publicUrl: string
  /** milliseconds since 1970 */
  readonly now: () => number
}

/** How many operators get a mail. */
const MOST_OPERATORS = 100
/** How many tasks with a change wait at most. The oldest ones are left out. */
const MOST_WAITING = 100
/** How often a mail is tried before it waits for the next 20 minutes. */
const MOST_TRIES = 10

export class HealthMail {
  private waiting: readonly HealthChange[] = []
  /** How often the mail of these 20 minutes may still be tried. */
  private triesLeft = 0

  constructor(private readonly options: HealthMailOptions) {}

  /** Adds a change to the next mail, in place of an earlier one of the same task, which is over. */
  add(change: HealthChange): void {
    if (!this.options.mail) return
    const others = this.waiting.filter(({ task }) => task.key !== change.task.key)
    this.waiting = [...others, change].slice(-MOST_WAITING)
  }

  /**
   * Sends the mail with all changes that wait, unless another one was sent less than 20 minutes ago. If no operator got
   * it, the next calls try again, at most ten times in 20 minutes.
   *
   * @param signal ends the sending early
   */
  async send(signal?: AbortSignal): Promise<void> {
    const { mail } = this.options
    if (!mail || this.waiting.length === 0) return
    const addresses = await unlessAway(this.addresses())
    if (!addresses) return
    if (addresses.length === 0) {
      this.waiting = []
      return
    }
    if (!(await unlessAway(this.dropPast())) || this.waiting.length === 0) return
    if (!(await unlessAway(this.isDue()))) return
    const { waiting } = this
    const [subject, text] = healthMail(waiting, this.options.publicUrl)
    let isSent = false
    for (const address of addresses)
      if (!signal?.aborted) isSent = (await mail.send(address, subject, text)) || isSent
    if (!isSent) return
    this.triesLeft = 0
    this.waiting = this.waiting.filter((change) => !waiting.includes(change))
  }

  /** Drops the changes that a later announcement of another process made untrue. @throws {StoreUnavailable} */
  private async dropPast(): Promise<true> {
    const { waiting } = this
    await requireProjected(this.options, healthRows)
    const rows = await this.options.readModels.getMany(
      healthRows,
      waiting.map(({ task }) => task.key),
    )
    const past = waiting.filter(({ to }, i) => to !== (rows[i]?.announced?.health ?? to))
    this.waiting = this.waiting.filter((change) => !past.includes(change))
    return true
  }

  /** A mail that no operator got has its 20 minutes already. */
  private async isDue(): Promise<boolean> {
    const { ephemeral, now } = this.options
    if (this.triesLeft === 0 && (await ephemeral.take('operator', 'health-mail', 1, now())).allowed)
      this.triesLeft = MOST_TRIES
    if (this.triesLeft === 0) return false
    this.triesLeft--
    return true
  }

  /** The addresses of the people who are operators. @throws {StoreUnavailable} */
  private async addresses(): Promise<readonly string[]> {
    const { readModels, vault } = this.options
    await requireProjected(this.options, people)
    const rows: readonly PersonRow[] = await readModels.list(people, 'operators', {
      equals: [1],
      order: 'ascending',
      limit: MOST_OPERATORS,
    })
    const profiles = await Promise.all(rows.map(({ person_id }) => loadProfile(vault, person_id as PersonId)))
    return profiles.flatMap((profile) => profile?.email ?? [])
  }
}

/** The mail about some changes: its subject and its text. */
export function healthMail(changes: readonly HealthChange[], publicUrl: string): readonly [string, string] {
  const [first, ...others] = changes
  const worstFirst = changes.toSorted((a, b) => WORST_FIRST.indexOf(a.to) - WORST_FIRST.indexOf(b.to))
  const subject =
    first && others.length === 0
      ? `${first.task.key} is ${first.to}`
      : `${changes.length} changes in the health of tasks`
  return [
    `${subject} (Gleaner)`,
    `${worstFirst.map((change) => paragraph(change, publicUrl)).join('\n\n')}\n\nYou get this mail because you are an operator of Gleaner.\n`,
  ]
}

function paragraph({ task, from, to, since, drift, codes }: HealthChange, publicUrl: string): string {
  const { key, source, declaration } = task
  const before = from === to ? ' Further fields drift.' : from === 'unknown' ? '' : ` Before: ${from}.`
  return [
    `${source.title}, ${declaration.title} (${key}) is ${to}: ${HEALTHS[to]}.`,
    `Since ${minuteOf(since)}.${before}`,
    ...drift.map((each) => `- ${driftWords(each)}`),
    ...(to === 'drifting' || (to === 'broken' && codes.some(isCapturedCode)) ? nextSteps(key) : []),
    `${publicUrl}/console/operator/sources/${source.name}`,
  ].join('\n')
}

const nextSteps = (key: string): readonly string[] => [
  'Next, see what the source answered, and gather what mending the parser needs:',
  `  npm run gleaner -- captures ${key}`,
  `  npm run gleaner -- repair ${key}`,
]
