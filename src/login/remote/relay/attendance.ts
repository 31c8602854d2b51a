/**
 * A person at a visit: told what happens to it wherever it is, and that it is lost when nobody has it any more.
 *
 * It looks every two seconds, and whenever it hears that something has moved; a look asks the post for what was not
 * heard. So nothing is missed when messages get lost, and nobody waits for what will not come.
 *
 * @module
 */
import { randomBytes } from 'node:crypto'
import { delay } from '../../../async/delay.ts'
import { SignInError } from '../../../browser/signin/errors.ts'
import { Events, isEnd } from '../events.ts'
import { failure, type VisitEvent } from '../session.ts'
import type { Standing } from './transport.ts'
import type { Trouble } from './trouble.ts'
import type { RelayVisit } from './visit.ts'

const LOOK_MS = 2000
/** For what is between two hands: before the next look at a visit that nobody seems to have. */
const SOON_MS = 300
/** A post that is silent for so long has died; after a loss of the connection all are back by then. */
const LOST_MS = 4000
const ASK_MS = 2000

/** What a look has found: all well, nobody who has it, or that no more looks are needed. */
type Look = 'well' | 'nobody' | 'over'

export class RelayAttendance {
  /** Who attends, for the others to tell it by. */
  readonly name: string = randomBytes(16).toString('hex')
  readonly events = new Events()
  /** the number of the event that was heard last of the post; null: none */
  private heard: number | null = null
  private before: number | null = null
  private isNew = true
  private isOver = false
  private nudged = new AbortController()
  /** since when nobody seems to have the visit, by the clock that only goes forward; undefined: somebody has */
  private missedSince: number | undefined

  constructor(
    private readonly visit: RelayVisit,
    private readonly trouble: Trouble,
  ) {}

  /** Looks until it is over or the person leaves; never throws. */
  async watch(): Promise<void> {
    while (!this.isOver) {
      this.nudged = new AbortController()
      const { signal } = this.nudged
      const look = await this.look()
      if (look === 'over') this.leave()
      else if (look === 'well') this.missedSince = undefined
      else if (this.isLost()) this.tell(failure('browser-ended'))
      if (!this.isOver) await delay(look === 'nobody' ? SOON_MS : LOOK_MS, signal)
    }
  }

  /** Something may have changed: looks now. */
  nudge(): void {
    this.nudged.abort()
  }

  /** Nothing more is told. */
  leave(): void {
    this.isOver = true
    this.events.end()
    this.nudge()
  }

  /** An event of the post. One that does not follow on the one before it shows that some were lost. */
  told(n: number, event: VisitEvent): void {
    if (this.heard === null || n <= this.heard || this.isOver) return
    if (n > this.heard + 1) {
      this.nudge()
      return
    }
    this.heard = n
    this.tell(event)
  }

  private tell(event: VisitEvent): void {
    if (this.isOver) return
    this.events.add(event)
    if (isEnd(event)) this.leave()
  }

  private async look(): Promise<Look> {
    try {
      const { name, isNew } = this
      const standing = await this.visit.standing({ name, isNew })
      this.trouble.well()
      if (!standing) return 'nobody'
      this.isNew = false
      if (standing.attending !== name) return 'over'
      return await this.follow(standing)
    } catch (err) {
      // While the store is away nothing is known, and it is asked again.
      if (!this.isOver) this.trouble.failed(err, 'a sign-in could not be looked at')
      return 'well'
    }
  }

  private async follow(standing: Standing): Promise<Look> {
    if (standing.end !== null) {
      // What its post told before that may be lost, or still on its way, which is another one than this.
      if (this.heard !== null && (await this.catchUp()) === 'nobody') await delay(SOON_MS)
      this.tell(this.visit.endIn(standing) ?? failure('browser-ended'))
      return 'over'
    }
    if (standing.before === null) return this.catchUp()
    if (standing.before !== this.before) this.tell({ type: 'waiting', before: standing.before })
    this.before = standing.before
    return 'well'
  }

  /** Says to the post who attends, and hears what it has told meanwhile. */
  private async catchUp(): Promise<Look> {
    try {
      const question = { type: 'attend', attendance: this.name, after: this.heard } as const
      const answer = await this.visit.ask(question, ASK_MS)
      if (answer.type !== 'attended') return 'nobody'
      const { events, last } = answer
      const known = this.heard === null ? 0 : Math.max(0, events.length - (last - this.heard))
      this.heard = Math.max(last, this.heard ?? 0)
      for (const event of events.slice(known)) this.tell(event)
      return 'well'
    } catch (error) {
      if (error instanceof SignInError) return 'nobody'
      throw error
    }
  }

  private isLost(): boolean {
    const now = performance.now()
    this.missedSince ??= now
    return now - this.missedSince > LOST_MS
  }
}
