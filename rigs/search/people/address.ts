/**
 * A person and their address: people sign up with the same address, crash on the way, freeze until others may take the
 * address, and erase themselves; and the sweep. The steps are those of src/people/people.ts, on the real decisions of
 * person and address.
 *
 * @module
 */
import { addressDecider } from '../../../src/domain/address.ts'
import type { Fold } from '../../../src/domain/decider.ts'
import type { DomainEvent } from '../../../src/domain/events.ts'
import type { AccountId, PersonId } from '../../../src/domain/ids.ts'
import { type PersonCommand, type PersonState, personDecider } from '../../../src/domain/person.ts'
import type { Model, Step } from '../engine.ts'
import { many, type Room, searchOf } from '../room.ts'
import { Stream, type Written } from '../stream.ts'

const account_id = 'acc_00000000000000000000000001' as AccountId
const [ann, ben, cid] = ['ann', 'ben', 'cid'] as unknown as [PersonId, PersonId, PersonId]
const SWEEP = 'sweep'
/** Sign-ups that are unfinished after this time may be removed, and not before. */
const LATE = 3_600_001

type Person = Stream<PersonState>
type Address = Stream<ReturnType<typeof addressDecider.evolve>>
/** The current step of an actor. `who`: the person whose address or stream it works on, if not its own. */
type Local =
  | { readonly at: 'begins' | 'claims' | 'joins' | 'is in' | 'refused' | 'cut off' | 'erased' | 'idle' }
  | { readonly at: 'writes claim'; readonly known: Address; readonly from?: PersonId }
  | { readonly at: 'doubts' | 'takes over'; readonly who: PersonId; readonly since: number }
  | { readonly at: 'erases' | 'releases' | 'destroys'; readonly who: PersonId }
type World = {
  readonly clock: number
  readonly deaths: number
  readonly address: Address
  readonly persons: { readonly [person: PersonId]: Person }
  /** persons whose key is in the vault */
  readonly keys: readonly string[]
  readonly [actor: `@${string}`]: Local
}

type Rules = {
  readonly decidePerson: typeof personDecider.decide
  expected(revision: number): number | 'any'
  /** how others erase a person who never joined */
  readonly erase: Pick<PersonCommand & { type: 'erase' }, 'unlessJoined'>
  /** the keys after an erasure */
  keysWithout(keys: readonly string[], person: PersonId): readonly string[]
}
const REAL: Rules = {
  decidePerson: personDecider.decide,
  expected: (revision) => revision,
  erase: { unlessJoined: true },
  keysWithout: (keys, person) => keys.filter((key) => key !== person),
}

const NO_ADDRESS = Stream.empty(addressDecider)
const NO_PERSON = Stream.empty(personDecider as Fold<PersonState>)
const ENDS: ReadonlySet<Local['at']> = new Set(['is in', 'refused', 'cut off', 'erased', 'idle'])

function model(people: readonly PersonId[], deaths: number, planted: Partial<Rules> = {}): Model<World> {
  const rules = { ...REAL, ...planted }
  const actors = Object.fromEntries(people.map((id) => [`@${id}`, { at: 'begins' } as Local]))
  const first = { clock: 0, deaths, address: NO_ADDRESS, persons: {}, keys: [] }
  return {
    initial: { ...first, ...actors, [`@${SWEEP}`]: { at: 'idle' } },
    steps: (world) => [
      ...[...people, SWEEP as PersonId].flatMap((actor) => stepsOf(rules, world, actor)),
      ...(world.clock === 0 ? [{ name: 'an hour passes', state: { ...world, clock: LATE } }] : []),
    ],
    wrong: (world) => wrongWith(world, people),
    isSettled: ({ clock, keys, persons, ...world }) =>
      clock === LATE &&
      [...people, SWEEP].every((id) => ENDS.has((world as World)[`@${id}`]!.at)) &&
      keys.every((id) => persons[id as PersonId]?.state.status === 'active'),
    wrongAtEnd: wrongAtRest,
    ends: (world) => people.map((id) => world[`@${id}`]!.at),
  }
}

const written = ({ clock }: World, event: DomainEvent, by: string): Written => {
  const at = new Date(clock).toISOString()
  return {
    by,
    event,
    meta: { $correlationId: '', $causationId: '', account_id, actor: 'service', at, v: '1' },
  }
}
const personIn = (world: World, id: PersonId): Person => world.persons[id] ?? NO_PERSON

function stepsOf(rules: Rules, world: World, actor: PersonId): Step<World>[] {
  const me = world[`@${actor}`]!
  const become = (next: Local, state: World = world): World => ({ ...state, [`@${actor}`]: next })
  const step = (what: string, state: World, isChance = false): Step<World> => ({
    name: `${actor}: ${what}`,
    state,
    isChance,
  })
  const dying =
    world.deaths > 0 && !ENDS.has(me.at) && me.at !== 'begins'
      ? [
          step(
            'dies',
            become({ at: actor === SWEEP ? 'idle' : 'cut off' }, { ...world, deaths: world.deaths - 1 }),
            true,
          ),
        ]
      : []
  /** Decided on the current stream of the person, because the loser of a race decides again. */
  const writePerson = (id: PersonId, command: PersonCommand, done: Local, refused: Local): World => {
    const known = personIn(world, id)
    const decision = rules.decidePerson(command, known.state)
    if ('refused' in decision) return become(refused)
    const stream = known.append(
      known.revision,
      decision.map((event) => written(world, event, actor)),
    )!
    return become(done, { ...world, persons: { ...world.persons, [id]: stream } })
  }
  const claimed = (from?: PersonId): Local => {
    const decision = addressDecider.decide({ type: 'claim', personId: actor, from }, world.address.state)
    if ('refused' in decision) return { at: 'doubts', who: decision.by, since: decision.since }
    if (decision.length === 0) return { at: 'joins' }
    return { at: 'writes claim', known: world.address, ...(from === undefined ? {} : { from }) }
  }
  switch (me.at) {
    case 'begins':
      return [
        step(
          'is kept in the vault',
          become({ at: 'claims' }, { ...world, keys: [...world.keys, actor].sort() }),
        ),
      ]
    case 'claims':
      return [step('reads whose the address is', become(claimed())), ...dying]
    case 'writes claim': {
      const { known, from } = me
      const decision = addressDecider.decide({ type: 'claim', personId: actor, from }, known.state)
      if ('refused' in decision) throw new Error('decided before')
      const batch = decision.map((event) => written(world, event, ''))
      const address = world.address.append(rules.expected(known.revision), batch)
      if (!address)
        return [step('claims the address, but somebody was faster', become(claimed(from))), ...dying]
      return [step('claims the address', become({ at: 'joins' }, { ...world, address })), ...dying]
    }
    case 'doubts': {
      const { status } = personIn(world, me.who).state
      const isGone = status === 'erased' || (status === 'none' && world.clock - me.since > LATE - 1)
      const next: Local = isGone ? { ...me, at: 'takes over' } : { at: 'destroys', who: actor }
      return [step(`finds ${me.who} ${status}`, become(next)), ...dying]
    }
    case 'takes over': {
      const command = { type: 'erase', personId: me.who, ...rules.erase } as const
      const state = writePerson(me.who, command, claimed(me.who), { at: 'destroys', who: actor })
      return [step(`erases ${me.who}, who never came`, state), ...dying]
    }
    case 'joins': {
      const joined = { person_id: actor, account_id, role: 'owner' } as const
      const state = writePerson(
        actor,
        { type: 'join', personId: actor, joined },
        { at: 'is in' },
        { at: 'cut off' },
      )
      return [step('joins', state), ...dying]
    }
    case 'is in':
      return [step('wants to be erased', become({ at: 'erases', who: actor }), true)]
    case 'erases': {
      const isSweep = actor === SWEEP
      const command = { type: 'erase', personId: me.who, ...(isSweep ? rules.erase : {}) } as const
      const state = writePerson(me.who, command, { at: 'releases', who: me.who }, { at: 'idle' })
      return [step(`erases ${me.who}`, state), ...dying]
    }
    case 'releases': {
      const decision = addressDecider.decide({ type: 'release', personId: me.who }, world.address.state)
      if ('refused' in decision) throw new Error('a release is never refused')
      // Without the key, the address can no longer be determined.
      const isKnown = world.keys.includes(me.who)
      const batch = isKnown ? decision.map((event) => written(world, event, '')) : []
      const address = world.address.append(world.address.revision, batch)!
      return [
        step('releases the address', become({ at: 'destroys', who: me.who }, { ...world, address })),
        ...dying,
      ]
    }
    case 'destroys': {
      const isOwn = me.who === actor
      const isErased = personIn(world, actor).state.status === 'erased'
      const next: Local = { at: actor === SWEEP ? 'idle' : isOwn && isErased ? 'erased' : 'refused' }
      const keys = rules.keysWithout(world.keys, me.who)
      return [step(`destroys the key of ${me.who}`, become(next, { ...world, keys })), ...dying]
    }
    case 'idle':
      if (world.clock !== LATE) return []
      return world.keys
        .filter((id) => personIn(world, id as PersonId).state.status !== 'active')
        .map((id) => step(`finds ${id}`, become({ at: 'erases', who: id as PersonId })))
    default:
      return []
  }
}

/** What is wrong with a world. */
function wrongWith({ address, persons, ...world }: World, people: readonly PersonId[]): string | undefined {
  const active = people.filter((id) => persons[id]?.state.status === 'active')
  if (active.length > 1) return `${active.join(' and ')} are in with one address`
  for (const id of active)
    if (address.state.holder?.personId !== id) return `${id} is in, and the address is not theirs`
  for (const id of people) {
    const { at } = (world as World)[`@${id}`]!
    if (at === 'is in' && persons[id]?.state.status !== 'active')
      return `${id} was told that they are in, and was erased by somebody else`
  }
  return undefined
}

/**
 * What is wrong when all work is done. The address may still belong to an erased person: the next claimant takes it
 * over.
 */
function wrongAtRest({ persons, keys }: World): string | undefined {
  for (const [id, { state }] of Object.entries(persons))
    if ((state.status === 'active') !== keys.includes(id))
      return `the key of ${id}, who is ${state.status}, is wrong`
  return undefined
}

const searched = (people: readonly PersonId[], deaths: number) =>
  searchOf(
    `${many(people.length, 'person', 'people')} with one address, ${many(deaths, 'death', 'deaths')}`,
    () => model(people, deaths),
  )
const planted = (bug: string, finds: RegExp, rules: Partial<Rules>) => ({
  ...searchOf(bug, () => model([ann, ben], 1, rules)),
  finds,
})

export const personAndAddress: Room = {
  name: 'person and address',
  small: [searched([ann, ben], 1)],
  large: [searched([ann, ben], 2), searched([ann, ben, cid], 0)],
  planted: [
    planted('a person who joins late is erased as never joined', /erased by somebody else/, {
      erase: {},
    }),
    planted('an address is claimed at any revision', /address/, { expected: () => 'any' }),
    planted('the key of an erased person stays', /never done/, { keysWithout: (keys) => keys }),
    planted('an erased person can join', /address/, {
      decidePerson: (command, state) =>
        personDecider.decide(command, command.type === 'join' ? { status: 'none' } : state),
    }),
  ],
}
