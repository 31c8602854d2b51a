/**
 * Everything of people, on the stores that are given.
 *
 * @module
 */
import type { EphemeralStore } from '../ephemeral/ephemeral-store.ts'
import type { Tickets } from '../ephemeral/tickets.ts'
import type { Keys } from '../keys/keys.ts'
import { Identities } from './identities.ts'
import { Links } from './links.ts'
import type { Mail } from './mail.ts'
import { AccountMembers } from './members.ts'
import { People, type PeopleDeps } from './people.ts'
import type { Provider } from './provider.ts'
import { Sessions } from './sessions.ts'
import { SignIn } from './sign-in.ts'

export type PeopleOptions = Omit<PeopleDeps, 'sessions' | 'links'> & {
  readonly tickets: Tickets
  readonly ephemeral: EphemeralStore
  readonly keys: Pick<Keys, 'revokeMadeBy'>
  /** of the service, without a slash at its end */
  readonly publicUrl: string
  readonly mail?: Mail | undefined
  /** undefined: nobody signs in by one */
  readonly provider?: Provider | undefined
}

export type PeopleRoom = ReturnType<typeof openPeople>

export function openPeople(options: PeopleOptions) {
  const { tickets, publicUrl, now } = options
  const sessions = new Sessions(tickets, now)
  const links = new Links(tickets, publicUrl, now)
  const people = new People({ ...options, sessions, links })
  const members = new AccountMembers({ ...options, people, links })
  return {
    people,
    members,
    sessions,
    links,
    signIn: new SignIn({ ...options, people }),
    identities: new Identities({ ...options, people }),
    provider: options.provider,
  }
}
