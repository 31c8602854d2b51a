/**
 * One row per key, for the list of an account's keys. Authentication reads the key's stream, never this projection.
 *
 * @module
 */
import type { AccountId, KeyId, PersonId } from '../src/domain/ids.ts'
import { makerOf } from '../src/domain/key.ts'
import type { Projection, Row } from '../src/read/read-models.ts'

export type KeyRow = Row & {
  readonly key_id: KeyId
  readonly account_id: AccountId
  readonly name: string | null
  readonly prefix: string
  readonly scopes: readonly string[]
  readonly created_at: string
  /** position of its KeyCreated: the sort key of the list */
  readonly created: number
  readonly expires_at: string | null
  readonly revoked_at: string | null
  /** the person who created it, directly or with another key; null if nobody did */
  readonly made_by: PersonId | null
}

export const keys: Projection<KeyRow, 'KeyCreated' | 'KeyRevoked'> = {
  name: 'keys',
  version: 3,
  types: ['KeyCreated', 'KeyRevoked'],
  key: ({ event }) => event.data.key_id,
  apply(row, { event, meta, position }) {
    if (event.type === 'KeyRevoked') return row ? { ...row, revoked_at: row.revoked_at ?? meta.at } : null
    const { key_id, account_id, name, prefix, scopes, expires_at } = event.data
    return {
      key_id,
      account_id,
      name,
      prefix,
      scopes,
      created_at: meta.at,
      created: position,
      expires_at,
      revoked_at: null,
      made_by: makerOf(event.data, meta) ?? null,
    }
  },
  indexes: { by_account: ['account_id', 'created'] },
}
