/**
 * Who looks after a community.
 *
 * @module
 */
import { at, listAt, Nullable, type Static, Time, Type, textOrNull, timeOf } from 'gleaner/plugin'

export const Moderator = Type.Object({
  name: Nullable(Type.String()),
  id: Nullable(Type.String({ description: 'The fullname of the account.' })),
  permissions: Type.Array(Type.String(), {
    description: 'What they may do, such as posts; all for everything.',
  }),
  since: Nullable(Time()),
})
export type Moderator = Static<typeof Moderator>

/** In the community's order. @throws {SourceChanged} when there is no list */
export const moderatorsOf = (json: unknown): Moderator[] =>
  listAt(json, 'data', 'children').map((moderator) => {
    const permissions = at(moderator, 'mod_permissions')
    return {
      name: textOrNull(at(moderator, 'name')),
      id: textOrNull(at(moderator, 'id')),
      permissions: Array.isArray(permissions) ? permissions.flatMap((each) => textOrNull(each) ?? []) : [],
      since: timeOf(at(moderator, 'date')),
    }
  })
