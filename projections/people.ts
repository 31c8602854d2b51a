/**
 * One row per person, for the operator's list. Personal data is in the vault.
 *
 * @module
 */
import type { Projection, Row } from '../src/read/read-models.ts'

export type PersonRow = Row & {
  readonly person_id: string
  readonly joined_at: string
  /** position of their PersonJoined: the sort key of the list */
  readonly joined: number
  readonly operator: boolean
  /** the same in all rows, so that one index covers all of them */
  readonly all: 1
  /** 1 while they may see the operator's pages, then null */
  readonly operators: 1 | null
}

export const people: Projection<
  PersonRow,
  'PersonJoined' | 'OperatorGranted' | 'OperatorRevoked' | 'PersonErased'
> = {
  name: 'people',
  version: 1,
  types: ['PersonJoined', 'OperatorGranted', 'OperatorRevoked', 'PersonErased'],
  key: ({ event }) => event.data.person_id,
  apply(row, { event, meta, position }) {
    const { person_id } = event.data
    if (event.type === 'PersonJoined')
      return {
        person_id,
        joined_at: meta.at,
        joined: position,
        operator: false,
        all: 1,
        operators: null,
      }
    if (!row || event.type === 'PersonErased') return null
    const operator = event.type === 'OperatorGranted'
    return { ...row, operator, operators: operator ? 1 : null }
  },
  indexes: { all: ['all', 'joined'], operators: ['operators', 'joined'] },
}
