/**
 * What people and keys may do in an account: the roles of members, and the scopes of API keys.
 *
 * @module
 */

/** What a person may do in an account. Each role includes the rights of the roles after it. */
export const ROLES = ['owner', 'member', 'viewer'] as const
export type Role = (typeof ROLES)[number]
/** Whether a role includes the rights of another. */
export const mayAs = (role: Role, least: Role): boolean => ROLES.indexOf(role) <= ROLES.indexOf(least)

export const SCOPES = ['runs', 'admin', 'events'] as const
/** What a key may be used for. No scope implies another. */
export type Scope = (typeof SCOPES)[number]

/**
 * The least role of a person who can create keys with a scope. When the person loses that role, their keys
 * lose the scope. A key of the scope `runs` can then still read runs, but start none.
 */
export const LEAST_ROLE: Readonly<Record<Scope, Role>> = { runs: 'member', admin: 'owner', events: 'viewer' }
