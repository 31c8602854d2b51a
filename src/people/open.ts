/**
 * Creates the objects of `people` on open stores.
 *
 * @module
 */
import type { Tickets } from '../ephemeral/tickets.ts'
import { Addresses } from './addresses.ts'
import { Identities } from './identities.ts'
import { Invitations } from './invitations.ts'
import { Links } from './links.ts'
import { AccountMembers, type MembersOptions } from './members.ts'
import { People, type PeopleOptions } from './people.ts'
import type { Provider } from './provider.ts'
import { SessionSlots } from './session-slots.ts'
import { Sessions } from './sessions.ts'
import { SignIn, type SignInOptions } from './sign-in.ts'

type OpenOptions = Omit<
  PeopleOptions & MembersOptions & SignInOptions,
  'people' | 'addresses' | 'sessions' | 'links'
> & {
  readonly tickets: Tickets
  /** of the service, without a trailing slash */
  readonly publicUrl: string
  /** undefined: nobody can sign in by a provider */
  readonly provider?: Provider | undefined
}

export function openPeople({ tickets, publicUrl, provider, ...stores }: OpenOptions) {
  const sessions = new Sessions(tickets, stores.now)
  const slots = new SessionSlots(tickets, stores.now)
  const links = new Links(tickets, publicUrl, stores.now)
  const addresses = new Addresses(stores.log, stores.vault)
  const parts = { ...stores, addresses, sessions, links }
  const people = new People(parts)
  const members = new AccountMembers({ ...parts, people })
  const invitations = new Invitations({ ...parts, people })
  const signIn = new SignIn({ ...parts, people })
  const identities = new Identities({ ...parts, people })
  return { people, members, invitations, sessions, slots, links, signIn, identities, provider }
}
