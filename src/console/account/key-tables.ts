/**
 * The API keys of an account in tables: those that work, and folded below them those that have ended.
 *
 * @module
 */
import { type KeyRow, keys as keysModel } from '../../../projections/keys.ts'
import type { Actor } from '../../domain/events.ts'
import type { KeyId } from '../../domain/ids.ts'
import { mayAs } from '../../domain/roles.ts'
import { type Html, html } from '../../html.ts'
import type { KeyRecord } from '../../keys/keys.ts'
import { copyId } from '../components/copy-id.ts'
import { relative } from '../components/durations.ts'
import { question } from '../components/forms.ts'
import { badge, count, empty, table, time } from '../components/parts.ts'
import type { AccountVisitor } from '../visitor.ts'
import { starterNames } from './starters.ts'

/** Keys that are rotated each day add up. */
const MOST_ENDED = 50

/** The keys that work, and a fold with the others, which `?ended` opens. @param keys as `Keys.list` returns them */
export async function keyTables(visitor: AccountVisitor, keys: readonly KeyRecord[]): Promise<Html> {
  const makers = await makersOf(visitor, keys)
  const { true: ended = [], false: working = [] } = Object.groupBy(keys, (key) =>
    String(hasEnded(visitor, key)),
  )
  const rows = (some: readonly KeyRecord[]) => some.map((key) => rowOf(visitor, key, makers))
  const isOpen = visitor.url.searchParams.has('ended')
  const columns = ['Name', 'Scopes', 'Created', 'Last used']
  const none = empty(keys.length === 0 ? 'There are no keys yet.' : 'No key works now.')
  const endedTable = table(
    'Revoked and expired keys',
    [...columns, 'Ended', ''],
    rows(ended.toSorted((a, b) => endOf(b) - endOf(a)).slice(0, MOST_ENDED)),
  )
  return html`${table('API keys', [...columns, 'Expires', ''], rows(working), { none })}
${ended.length > 0 && html`<details class="ended" id="ended"${isOpen && html` open`}><summary>Revoked and expired keys (${count(ended.length)})</summary>${ended.length > MOST_ENDED && html`<p class="hint">The ${MOST_ENDED} that ended last. <code>GET /admin/list-keys</code> of the API lists all.</p>`}${endedTable}</details>`}`
}

const endOf = ({ revoked_at, expires_at, created_at }: KeyRecord): number =>
  Date.parse(revoked_at ?? expires_at ?? created_at)

const hasEnded = ({ deps }: AccountVisitor, { revoked_at, expires_at }: KeyRecord): boolean =>
  revoked_at !== null || (expires_at !== null && Date.parse(expires_at) <= deps.now())

/** Who created a key, and whether that is the visitor. */
type Maker = { readonly name: string; readonly isVisitor: boolean }

/** The makers of keys. Keys that belong to nobody come from the operator; see docs/console.md. */
async function makersOf({ deps, person }: AccountVisitor, keys: readonly KeyRecord[]) {
  const rows = await deps.readModels.getMany(
    keysModel,
    keys.map(({ key_id }) => key_id),
  )
  const actorOf = ({ made_by }: KeyRow): Actor => (made_by === null ? 'operator' : `person:${made_by}`)
  const known = rows.filter((row) => row !== null && row !== undefined)
  const names = await starterNames(deps, known.map(actorOf))
  return new Map(
    known.map((row): [KeyId, Maker] => [
      row.key_id,
      { name: names.get(actorOf(row)) ?? '', isVisitor: row.made_by === person.personId },
    ]),
  )
}

function rowOf(visitor: AccountVisitor, key: KeyRecord, makers: ReadonlyMap<KeyId, Maker>) {
  const { key_id, name, prefix, scopes, created_at, last_used_at, expires_at, revoked_at } = key
  const { own, deps, role } = visitor
  const now = deps.now()
  const isEnded = hasEnded(visitor, key)
  const maker = makers.get(key_id)
  const isRevocable = role === 'owner' || (mayAs(role, 'member') && maker?.isVisitor === true)
  const text = `Programs that use ${name ?? prefix} stop working at once. This cannot be undone.`
  return [
    html`${name ?? html`<em>without a name</em>`} <code>${prefix}…</code><br><span class="hint">${copyId(key_id, `the id of the key ${name ?? prefix}`)}</span>`,
    scopes.join(', '),
    html`${relative(created_at, now)}<br><span class="hint">by <bdi>${maker?.name}</bdi></span>`,
    last_used_at === null ? html`<span class="hint">never</span>` : relative(last_used_at, now),
    isEnded
      ? html`${badge(revoked_at === null ? 'expired' : 'revoked')} ${relative(revoked_at ?? expires_at ?? created_at, now)}`
      : time(expires_at, 'never'),
    html`<div class="actions"><a class="button quiet" href="${own}/runs?by=${key_id}">Runs</a>${!isEnded && isRevocable && question('Revoke', text, `${own}/keys/revoke`, { key_id })}</div>`,
  ]
}
