/**
 * The rules of a community.
 *
 * @module
 */
import {
  at,
  integerOrNull,
  listAt,
  Nullable,
  type Static,
  Time,
  Type,
  textOrNull,
  timeOf,
} from 'gleaner/plugin'
import { bodyOf } from './texts.ts'

export const Rule = Type.Object({
  short_name: Nullable(Type.String()),
  description: Nullable(Type.String({ description: 'Markdown.' })),
  kind: Nullable(Type.String({ description: 'What it is for: link, comment or all.' })),
  violation_reason: Nullable(Type.String()),
  priority: Nullable(Type.Integer({ description: 'Its place, from 0.' })),
  created_at: Nullable(Time()),
})
export type Rule = Static<typeof Rule>

/** In the community's order. @throws {SourceChanged} when there is no list */
export const rulesOf = (json: unknown): Rule[] =>
  listAt(json, 'rules').map((rule) => ({
    short_name: textOrNull(at(rule, 'short_name')),
    description: bodyOf(at(rule, 'description')),
    kind: textOrNull(at(rule, 'kind')),
    violation_reason: textOrNull(at(rule, 'violation_reason')),
    priority: integerOrNull(at(rule, 'priority')),
    created_at: timeOf(at(rule, 'created_utc')),
  }))
