/**
 * Creates the objects of `people` on the given stores.
 *
 * @module
 */
import type { Tickets } from '../ephemeral/tickets.ts'
import { Addresses } from './addresses.ts'
import type { PeopleDeps } from './deps.ts'
import { Identities } from './identities.ts'
import { Links } from './links.ts'
import { AccountMembers } from './members.ts'
import { People } from './people.ts'
import type { Provider } from './provider.ts'
import { SessionSlots } from './session-slots.ts'
import { Sessions } from './sessions.ts'
import { SignIn } from './sign-in.ts'

type PeopleOptions = Omit<PeopleDeps, 'addresses' | 'sessions' | 'links'> & {
  readonly tickets: Tickets
  /** of the service, without a trailing slash */
  readonly publicUrl: string
  /** undefined: nobody can sign in by a provider */
  readonly provider?: Provider | undefined
}

export type PeopleRoom = ReturnType<typeof openPeople>

export function openPeople({ tickets, publicUrl, provider, ...stores }: PeopleOptions) {
  const sessions = new Sessions(tickets, stores.now)
  const slots = new SessionSlots(tickets, stores.now)
  const links = new Links(tickets, publicUrl, stores.now)
  const addresses = new Addresses(stores.log, stores.vault)
  const deps = { ...stores, addresses, sessions, links }
  const people = new People(deps)
  const members = new AccountMembers({ ...deps, people })
  const signIn = new SignIn({ ...deps, people })
  const identities = new Identities({ ...deps, people })
  return { people, members, sessions, slots, links, signIn, identities, provider }
}
