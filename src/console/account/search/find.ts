/**
 * What a person can find in an account by words: only what the pages of the account show to the person's role.
 *
 * @module
 */
import { runs } from '../../../../projections/runs.ts'
import { allowsTask } from '../../../domain/account.ts'
import { parseRunId } from '../../../domain/ids.ts'
import { unlessAway } from '../../../log/away.ts'
import type { Icon } from '../../components/icon.ts'
import { ENTRIES, OPERATOR } from '../../navigation.ts'
import type { AccountVisitor } from '../../visitor.ts'
import { urlFor } from '../webhooks/names.ts'
import { commandHits } from './commands.ts'
import type { Group, Hit } from './hit.ts'
import { bestOf, isForgiven } from './match.ts'

/** Findings of each kind. */
const MOST = 6
/** Latest runs whose titles are searched. The list of runs searches further back. */
const LATEST_RUNS = 200
/** Runs that are shown before anything is searched. */
const RECENT = 4

/**
 * Finds everything of an account that matches, by kind. An empty search finds the pages, the commands and the latest
 * runs. Typing errors in names are forgiven in kinds without a match, which come after all others.
 */
export async function findAll(visitor: AccountVisitor, search: string): Promise<readonly Group[]> {
  const isEmpty = search === ''
  const group = (title: string, icon: Icon, hits: readonly Hit[], most = MOST): Group => ({
    title,
    icon,
    hits: bestOf(search, hits, most),
  })
  const [latest, keys, webhooks, members] = await Promise.all([
    runHits(visitor, search),
    isEmpty ? [] : keyHits(visitor, search),
    isEmpty ? [] : webhookHits(visitor, search),
    isEmpty ? [] : memberHits(visitor, search),
  ])
  const named: [string, Icon, readonly Hit[]][] = [
    ['Pages', 'home', pageHits(visitor)],
    ['Commands', 'again', commandHits(visitor)],
    ['Tasks', 'tasks', isEmpty ? [] : taskHits(visitor)],
  ]
  const sources = isEmpty || !visitor.person.isOperator ? [] : sourceHits(visitor)
  const groups = [
    ...named.map(([title, icon, hits]) => group(title, icon, hits, isEmpty ? 20 : MOST)),
    group('Runs', 'runs', latest, isEmpty ? RECENT : MOST),
    group('API keys', 'keys', keys),
    group('Webhooks', 'webhooks', webhooks),
    group('Members', 'members', members),
    group('Sources', 'sources', sources),
  ]
  const filled = groups.filter(({ hits }) => hits.length > 0)
  const forgiven = [...named, ['Sources', 'sources', sources] as const]
    .filter(([title]) => !filled.some((each) => each.title === title))
    .map(([title, icon, hits]) => ({
      title,
      icon,
      hits: hits.filter(({ texts }) => isForgiven(search, texts)).slice(0, MOST),
    }))
    .filter(({ hits }) => hits.length > 0)
  return [...filled, ...forgiven]
}

/** Only a search with a digit or an underscore looks at ids: all ids of a kind begin with the same letters. */
const idsFor = (search: string, ...ids: readonly string[]): readonly string[] =>
  /[\d_]/.test(search) ? ids : []

function pageHits({ base, own, person }: AccountVisitor): Hit[] {
  const hit = (label: string, detail: string, path: string, icon: Icon): Hit => ({
    label,
    detail,
    path,
    texts: [label, detail],
    icon,
  })
  return [
    ...ENTRIES.map(({ path, label, icon }) => hit(label, '', own + path, icon)),
    hit('Your profile', 'name, password, sessions', `${base}/console/me`, 'people'),
    hit('API reference', 'docs', `${base}/docs`, 'docs'),
    hit('Status', 'health of all sources', `${base}/status`, 'status'),
    ...(person.isOperator
      ? OPERATOR.map(({ path, label, icon }) =>
          hit(label, 'operator', `${base}/console/operator${path}`, icon),
        )
      : []),
  ]
}

const taskHits = ({ deps, own, account }: AccountVisitor): Hit[] =>
  deps.catalogue.tasks.map(({ key, declaration: { title }, source }) => ({
    label: title,
    detail: allowsTask(account.tasks, key) ? key : `${key} · not enabled for this account`,
    path: `${own}/tasks/${key}`,
    texts: [title, key, source.title],
  }))

/** The latest runs, and the one whose id is the search, however old. */
async function runHits({ deps, own, accountId }: AccountVisitor, search: string): Promise<Hit[]> {
  const id = parseRunId(search)
  const exact = id && (await deps.runs.find(id, accountId))
  const rows = exact
    ? []
    : await deps.readModels.list(runs, 'by_account', {
        equals: [accountId],
        order: 'descending',
        limit: search === '' ? RECENT : LATEST_RUNS,
      })
  const matches = exact ? [exact.state] : rows.map(({ run }) => run)
  const titles = await deps.titles.ofMany(matches)
  return matches.map((run) => {
    const task = deps.catalogue.get(run.taskKey)?.declaration.title ?? run.taskKey
    const title = titles.get(run.runId) ?? null
    return {
      label: title === null ? task : `${task} · ${title}`,
      // People know a run by its title; an id that was searched is shown.
      detail: exact ? `${run.status} · ${run.runId}` : run.status,
      path: `${own}/runs/${run.runId}`,
      texts: [title ?? task, task, run.taskKey, run.status, ...idsFor(search, run.runId)],
    }
  })
}

async function keyHits({ deps, own, accountId }: AccountVisitor, search: string): Promise<Hit[]> {
  const keys = (await unlessAway(deps.keys.list(accountId))) ?? []
  return keys.map(({ key_id, name, prefix, revoked_at }) => ({
    label: name ?? `${prefix}…`,
    detail: revoked_at === null ? key_id : `${key_id} · revoked`,
    path: `${own}/keys`,
    texts: [name ?? '', ...idsFor(search, prefix, key_id)],
  }))
}

async function webhookHits(visitor: AccountVisitor, search: string): Promise<Hit[]> {
  const webhooks = (await unlessAway(visitor.deps.webhooks.list(visitor.accountId))) ?? []
  return webhooks.map((webhook) => {
    const url = urlFor(visitor, webhook)
    const { webhook_id, description } = webhook
    return {
      label: description ?? url,
      detail: description === null ? webhook_id : url,
      path: `${visitor.own}/webhooks/${webhook_id}`,
      texts: [description ?? url, url, ...idsFor(search, webhook_id)],
    }
  })
}

async function memberHits({ deps, own, accountId }: AccountVisitor, search: string): Promise<Hit[]> {
  const members = (await unlessAway(deps.members.list(accountId))) ?? []
  return members.map((member) => ({
    label: member.name ?? member.personId,
    detail: member.role,
    path: `${own}/members`,
    texts: [member.name ?? '', member.email ?? '', ...idsFor(search, member.personId)],
  }))
}

const sourceHits = ({ base, deps }: AccountVisitor): Hit[] =>
  deps.catalogue.sources.map(({ name, title }) => ({
    label: title,
    detail: name,
    path: `${base}/console/operator/sources/${name}`,
    texts: [title, name],
  }))
