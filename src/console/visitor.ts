/**
 * The context of a page request: the session in the cookie, the person, the account in the path, and the person's role.
 *
 * @module
 */
import type { AccountState } from '../domain/account.ts'
import { type AccountId, parseAccountId } from '../domain/ids.ts'
import type { Person } from '../domain/person.ts'
import { mayAs, type Role } from '../domain/roles.ts'
import { onlyFor } from '../http/access.ts'
import type { Deps } from '../http/deps.ts'
import type { Call } from '../http/endpoint.ts'
import type { Once } from '../http/idempotency.ts'
import { Problem } from '../http/problems.ts'
import type { Images } from '../images/images.ts'
import { unlessAway } from '../log/away.ts'
import type { Exits } from '../net/exits/exits.ts'
import type { LimitsOfHosts } from '../net/pace.ts'
import { basePath } from '../page/document.ts'
import { byPerson, type PeopleCause } from '../people/addresses.ts'
import type { Identities } from '../people/identities.ts'
import type { Invitations } from '../people/invitations.ts'
import type { Links } from '../people/links.ts'
import type { AccountMembers } from '../people/members.ts'
import type { Membership, People } from '../people/people.ts'
import type { Profile } from '../people/profiles.ts'
import type { Provider } from '../people/provider.ts'
import type { SessionSlots } from '../people/session-slots.ts'
import type { Sessions } from '../people/sessions.ts'
import { isCurrent, type Session } from '../people/sessions.ts'
import type { SignIn } from '../people/sign-in.ts'
import type { Source } from '../plugin.ts'
import { cookieIn } from './cookie.ts'
import type { NodeFigures } from './operator/node.ts'
import { Redirect, seeOther } from './redirect.ts'
import type { StatusBoard } from './status/board.ts'
import { keptForm } from './unsent-form.ts'

/** What pages work with: everything that the API works with, and the people. */
export type PageDeps = Deps & {
  readonly people: People
  readonly members: AccountMembers
  readonly invitations: Invitations
  readonly sessions: Sessions
  readonly slots: SessionSlots
  readonly links: Links
  readonly signIn: SignIn
  readonly identities: Identities
  /** undefined: nobody can sign in by a provider */
  readonly provider: Provider | undefined
  readonly images: Images
  readonly exits: Pick<Exits, 'resting'>
  /** This process of the service, now. */
  node(): NodeFigures
  /** The limits of the requests to a source, with what the operator's settings mean for them. */
  limits(source: Source): readonly LimitsOfHosts[]
}

/** A request to a page. */
export type PageRequest = {
  /** `once`: forms that create something; see `createOnce` */
  readonly deps: PageDeps & { readonly once: Once; readonly status: StatusBoard }
  readonly call: Call
  /** the submitted form; see `formOf` */
  readonly body: Uint8Array
  /** as the service received it: without {@link base} */
  readonly url: URL
  /** the prefix of every path: empty, or the path of PUBLIC_URL */
  readonly base: string
  readonly cause: PeopleCause
}
/** A signed-in person with a request to a page. */
export type Visitor = PageRequest & SignedIn
/** An account of a person. */
export type OwnAccount = Membership & { readonly name: string }
/** A signed-in person. */
export type SignedIn = {
  readonly session: Session
  readonly person: Person
  readonly profile: Profile
  readonly memberships: readonly OwnAccount[]
}
/** A member of an account with a request to one of its pages. */
export type AccountVisitor = Visitor & {
  readonly accountId: AccountId
  /** the prefix of the paths of the account's pages */
  readonly own: string
  readonly account: AccountState
  readonly role: Role
}

export function pageRequest(deps: PageRequest['deps'], call: Call, body: Uint8Array): PageRequest {
  const base = basePath(deps.config.publicUrl)
  return { deps, call, body, base, url: new URL(call.request.url), cause: call.cause }
}

/** A request with a session, perhaps. */
type Asking = {
  readonly deps: {
    readonly config: { readonly publicUrl: string }
    readonly sessions: { readonly find: Sessions['find'] }
    readonly people: People
    readonly accounts: { readonly state: PageDeps['accounts']['state'] }
  }
  readonly call: { readonly request: Request }
}

/** The session of a request; undefined without one, or when it has ended. */
export async function sessionOf({
  deps,
  call,
}: Asking): Promise<{ session: Session; person: Person } | undefined> {
  const secret = cookieIn(call.request, deps.config.publicUrl)
  const session = secret === undefined ? undefined : await deps.sessions.find(secret)
  if (!session) return undefined
  const person = await deps.people.person(session.personId)
  return person && isCurrent(session, person) ? { session, person } : undefined
}

/** The person whose session a request has; undefined without one. */
export async function signedIn(request: Asking): Promise<SignedIn | undefined> {
  const { people, accounts } = request.deps
  const session = await sessionOf(request)
  const profile = session && (await people.profile(session.person.personId))
  if (!session || !profile) return undefined
  const memberships = await Promise.all(
    (await people.accountsOf(session.person.personId)).map(async (one) => ({
      ...one,
      name: (await accounts.state(one.accountId)).name,
    })),
  )
  return { ...session, profile, memberships }
}

/** @throws {Redirect} to the sign-in page, which returns to this page afterwards, with the form that was sent */
export async function visitorOf(request: PageRequest): Promise<Visitor> {
  const { deps, base, url } = request
  const known = await signedIn(request)
  if (!known) {
    const { pathname, search } = url
    const next = pathname === '/console' ? '' : `?next=${encodeURIComponent(pathname + search)}`
    if (request.body.length === 0) throw new Redirect(`${base}/console/sign-in${next}`)
    const cookie = keptForm(pathname, request.body, deps.config.publicUrl)
    const headers = cookie === undefined ? {} : { 'set-cookie': cookie }
    throw new Redirect(
      `${base}/console/sign-in${next}&form=${cookie === undefined ? 'lost' : 'kept'}`,
      headers,
    )
  }
  return { ...request, ...known, cause: byPerson(known.person.personId, request.cause) }
}

/**
 * Finds the account in the path and the person's role in it.
 *
 * @param least the least role in the account
 * @throws {Problem} 404 for an account that does not exist or that the person does not belong to; 403
 */
export async function accountVisitorOf(request: PageRequest, least: Role): Promise<AccountVisitor> {
  const visitor = await visitorOf(request)
  const { deps, call, base } = visitor
  const accountId = parseAccountId(call.params.account ?? '')
  const account = accountId && (await deps.accounts.state(accountId))
  const role = account?.members.roles[visitor.person.personId]
  if (!accountId || !account || role === undefined) throw new Problem('not-found')
  if (!mayAs(role, least)) throw new Problem('key-scope', { detail: `${onlyFor(least)}.` })
  return { ...visitor, accountId, own: `${base}/console/${accountId}`, account, role }
}

/** Records that the session was used in the account. A page is shown even if this fails, as on a full disk. */
export async function noteUse({ deps, session, accountId }: AccountVisitor): Promise<void> {
  await unlessAway(deps.sessions.use(session, accountId))
}

/** @throws {Problem} 404 for anybody but operators */
export async function operatorOf(request: PageRequest): Promise<Visitor> {
  const visitor = await visitorOf(request)
  if (!visitor.person.isOperator) throw new Problem('not-found')
  return visitor
}

/** The account that a session used last, or else the person's first one. */
export function lastAccountOf({
  session,
  memberships,
}: {
  readonly session: Session
  readonly memberships: readonly OwnAccount[]
}): AccountId | undefined {
  const last = memberships.find(({ accountId }) => accountId === session.account)
  return (last ?? memberships[0])?.accountId
}

/** A redirect from a path without an account to the same page of the last used account. */
export function toLastAccount(visitor: Visitor): Response {
  const { base, url } = visitor
  const rest = url.pathname.slice('/console'.length) + url.search
  const account = lastAccountOf(visitor)
  return seeOther(account ? `${base}/console/${account}${rest}` : `${base}/console/me`)
}
