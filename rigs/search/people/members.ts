/**
 * Roles and the last owner: people of one account who concurrently invite, change roles, remove and join. Each request
 * follows src/console: the role of the requester is checked first, then the command is decided on the stream of the
 * account, and again after a lost race. A person may send any existing command.
 *
 * @module
 */
import { type AccountState, accountDecider } from '../../../src/domain/account.ts'
import type { DomainEvent, Metadata } from '../../../src/domain/events.ts'
import type { AccountId, InvitationId, PersonId } from '../../../src/domain/ids.ts'
import type { MemberCommand } from '../../../src/domain/members.ts'
import type { Role } from '../../../src/domain/roles.ts'
import type { Model, Step } from '../engine.ts'
import { many, type Room, searchOf } from '../room.ts'
import { Stream, type Written } from '../stream.ts'

const ACCOUNT = 'acc_00000000000000000000000001' as AccountId
const INVITATION = 'inv_00000000000000000000000001' as InvitationId
const EXPIRES_AT = Date.UTC(2026, 0, 8)
const accountId = ACCOUNT
const account_id = ACCOUNT

const [ann, ben, cid, dot] = ['ann', 'ben', 'cid', 'dot'] as unknown as [
  PersonId,
  PersonId,
  PersonId,
  PersonId,
]

type Account = Stream<AccountState>
/** The current step of the process that serves a person. `left`: requests that the person may still make. */
type Person = { readonly left: number } & (
  | { readonly at: 'idle' }
  /** may do it, according to the first check */
  | { readonly at: 'may'; readonly command: MemberCommand }
  | { readonly at: 'append'; readonly command: MemberCommand; readonly known: Account }
)
type World = { readonly account: Account; readonly [person: `@${string}`]: Person }

type Rules = {
  readonly decide: typeof accountDecider.decide
  /** the expected revision of an append */
  expected(revision: number): number | 'any'
  /** whether the command names the requester, so that their role is checked again in the decision */
  readonly names: boolean
}
const REAL: Rules = { decide: accountDecider.decide, expected: (revision) => revision, names: true }

type Bounds = {
  readonly owners: readonly PersonId[]
  readonly members: readonly PersonId[]
  readonly outsiders: readonly PersonId[]
  /** requests of each person */
  readonly requests: number
}

const meta: Metadata = {
  $correlationId: '',
  $causationId: '',
  account_id: ACCOUNT,
  actor: 'service',
  at: '2026-01-01T00:00:00.000Z',
  v: '1',
}
const written = (event: DomainEvent, by: string): Written => ({ by, event, meta })
const NOTHING = Stream.empty(accountDecider)

function model({ owners, members, outsiders, requests }: Bounds, planted: Partial<Rules> = {}): Model<World> {
  const rules = { ...REAL, ...planted }
  const added = (person_id: PersonId, role: Role): Written =>
    written({ type: 'MemberAdded', data: { account_id, person_id, role } }, 'operator')
  const first = [
    written({ type: 'AccountOpened', data: { account_id, name: 'team' } }, 'operator'),
    ...owners.map((id) => added(id, 'owner')),
    ...members.map((id) => added(id, 'member')),
  ]
  const insiders = [...owners, ...members]
  const people = [...insiders, ...outsiders]
  const idle: Person = { at: 'idle', left: requests }
  const actors = Object.fromEntries(people.map((id) => [`@${id}`, idle]))
  return {
    initial: { account: NOTHING.append(-1, first)!, ...actors },
    steps: (world) => people.flatMap((person) => stepsOf(rules, world, person, insiders)),
    wrong: ({ account }) => wrongHistory(account),
    isSettled: (world) => people.every((id) => world[`@${id}`]?.at === 'idle'),
    wrongAtEnd: () => undefined,
    ends: ({ account }) => [many(ownersOf(account.state), 'owner', 'owners')],
  }
}

const ownersOf = ({ members }: AccountState): number =>
  Object.values(members.roles).filter((role) => role === 'owner').length

function stepsOf(rules: Rules, world: World, person: PersonId, insiders: readonly PersonId[]): Step<World>[] {
  const me = world[`@${person}`]!
  const { left } = me
  const become = (state: World, next: Person): World => ({ ...state, [`@${person}`]: next })
  const idle = (state: World) => become(state, { at: 'idle', left })
  const decided = (state: World, command: MemberCommand): World => {
    const decision = rules.decide(command, state.account.state)
    if ('refused' in decision || decision.length === 0) return idle(state)
    return become(state, { at: 'append', command, known: state.account, left })
  }
  switch (me.at) {
    case 'idle': {
      if (left === 0) return []
      const isOwner = world.account.state.members.roles[person] === 'owner'
      const commands = isOwner ? ofOwner(person, insiders, rules) : ofOther(person, world.account.state)
      return commands.map((command) => ({
        name: `${person}: asks for ${said(command)}`,
        state: become(world, { at: 'may', command, left: left - 1 }),
        isChance: true,
      }))
    }
    case 'may':
      return [{ name: `${person}: reads the account`, state: decided(world, me.command) }]
    case 'append': {
      const { command, known } = me
      const decision = rules.decide(command, known.state)
      if ('refused' in decision) throw new Error('decided before')
      const batch = decision.map((event) => written(event, person))
      const account = world.account.append(rules.expected(known.revision), batch)
      const name = `${person}: ${said(command)}`
      if (!account) return [{ name: `${name}, but somebody was faster`, state: decided(world, command) }]
      return [{ name, state: idle({ ...world, account }) }]
    }
  }
}

/** The commands of an owner. */
function ofOwner(person: PersonId, insiders: readonly PersonId[], { names }: Rules): MemberCommand[] {
  const common = { accountId, ...(names ? { by: person } : {}) }
  return [
    { ...common, type: 'invite', invitationId: INVITATION, role: 'owner', expiresAt: EXPIRES_AT },
    { ...common, type: 'withdraw', invitationId: INVITATION },
    ...insiders.flatMap((personId): MemberCommand[] => [
      { ...common, type: 'set-role', personId, role: 'owner' },
      { ...common, type: 'set-role', personId, role: 'viewer' },
      { ...common, type: 'remove', personId },
    ]),
    // Erasing oneself needs no check.
    { accountId, type: 'remove', personId: person },
  ]
}

/** Anybody may use an invitation, and a member may leave. */
function ofOther(personId: PersonId, { members }: AccountState): MemberCommand[] {
  const join: MemberCommand = {
    type: 'join',
    accountId,
    personId,
    role: 'owner',
    invitationId: INVITATION,
    now: 0,
  }
  const isInvited = members.invitations[INVITATION] !== undefined
  const isMember = members.roles[personId] !== undefined
  return [
    ...(isInvited ? [join] : []),
    ...(isMember ? [{ type: 'remove', accountId, personId } as const] : []),
  ]
}

const said = (command: MemberCommand): string =>
  [command.type, 'personId' in command ? command.personId : '', 'role' in command ? command.role : '']
    .filter(Boolean)
    .join(' ')

const RANKS: readonly (Role | undefined)[] = [undefined, 'viewer', 'member', 'owner']
const judged = new WeakMap<Account, { readonly wrong: string | undefined }>()

/** What is wrong with the stream of an account. */
function wrongHistory(account: Account): string | undefined {
  const known = judged.get(account)
  if (known) return known.wrong
  const wrong = wrongEvents(account.after(-1))
  judged.set(account, { wrong })
  return wrong
}

function wrongEvents(events: readonly Written[]): string | undefined {
  const roles = new Map<string, Role>()
  const open = new Set<string>()
  const mayDo = (by: string) => by === 'operator' || roles.get(by) === 'owner'
  for (const { by, event } of events) {
    switch (event.type) {
      case 'MemberInvited':
        if (!mayDo(by)) return `${by} invited somebody and was no owner any more`
        open.add(event.data.invitation_id)
        break
      case 'InvitationWithdrawn':
        if (!mayDo(by)) return `${by} withdrew an invitation and was no owner any more`
        open.delete(event.data.invitation_id)
        break
      case 'MemberAdded': {
        const { person_id, role, invitation_id } = event.data
        if (invitation_id === undefined ? by !== 'operator' : !open.delete(invitation_id))
          return `${person_id} joined without an open invitation`
        roles.set(person_id, role)
        break
      }
      case 'MemberRoleChanged': {
        const { person_id, role } = event.data
        const isHigher = RANKS.indexOf(role) > RANKS.indexOf(roles.get(person_id))
        if (!mayDo(by)) return `${by} ${isHigher ? 'raised' : 'lowered'} a role and was no owner any more`
        roles.set(person_id, role)
        break
      }
      case 'MemberRemoved':
        if (!mayDo(by) && by !== event.data.person_id)
          return `${by} removed somebody and was no owner any more`
        roles.delete(event.data.person_id)
    }
    if (roles.size > 0 && ![...roles.values()].includes('owner')) return 'the account has lost its last owner'
  }
  return undefined
}

const PAIR: Bounds = { owners: [ann, ben], members: [], outsiders: [], requests: 2 }
const TEAM: Bounds = { owners: [ann, ben], members: [cid], outsiders: [dot], requests: 1 }

const names = (people: readonly PersonId[]): string => (people.length === 0 ? 'nobody' : people.join(' and '))
const bounds = ({ owners, members, outsiders, requests }: Bounds): string =>
  `owners ${names(owners)}, members ${names(members)}, outside ${names(outsiders)}, ${many(requests, 'request', 'requests')} of each`
const searched = (limits: Bounds) => searchOf(bounds(limits), () => model(limits))
const planted = (bug: string, finds: RegExp, rules: Partial<Rules>, limits = PAIR) => ({
  ...searchOf(bug, () => model(limits, rules)),
  finds,
})

export const rolesAndLastOwner: Room = {
  name: 'roles and the last owner',
  small: [searched(PAIR), searched(TEAM)],
  large: [
    searched({ ...PAIR, outsiders: [dot] }),
    searched({ owners: [ann, ben, cid], members: [], outsiders: [dot], requests: 1 }),
  ],
  planted: [
    planted('the last owner can leave', /last owner/, {
      decide: (command, state) =>
        accountDecider.decide(command.type === 'remove' ? { ...command, isClosed: true } : command, state),
    }),
    planted('decisions are appended at any revision', /no owner any more/, {
      expected: () => 'any',
    }),
    planted('ownership is checked only before the decision', /no owner any more/, {
      names: false,
    }),
    planted(
      'a withdrawn or used invitation is accepted',
      /without an open invitation/,
      {
        decide: (command, state) =>
          accountDecider.decide(
            command.type === 'join' ? { ...command, invitationId: undefined } : command,
            state,
          ),
      },
      TEAM,
    ),
  ],
}
