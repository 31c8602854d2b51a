/**
 * What must hold for people: judged from the log, the keys of the vault and what people were told.
 *
 * @module
 */
import type { Written } from './judge.ts'

/** What is wrong, each as a sentence. @param vault the keys of all that lies in it */
export function judgePeople(log: readonly Written[], vault: readonly string[]): string[] {
  const streams = Map.groupBy(log, ({ stream }) => stream)
  const of = (category: string) => [...streams].filter(([stream]) => stream.startsWith(`${category}-`))
  return [
    ...of('person').flatMap(([stream, events]) => personIsWhole(stream, events)),
    ...of('address').flatMap(([stream, events]) => addressIsOnes(stream, events, streams)),
    ...of('account').flatMap(([stream, events]) => hasOwner(stream, events)),
    ...nothingIsLeft(log, streams, vault),
  ]
}

/** Somebody joins once; after their profile was deleted nothing happens to them any more. */
function personIsWhole(stream: string, events: readonly Written[]): string[] {
  const types = events.map(({ type }) => type)
  const joins = types.filter((type) => type === 'PersonJoined').length
  const erased = types.indexOf('PersonErased')
  return [
    ...(joins > 1 ? [`${stream} joined ${joins} times`] : []),
    ...(erased >= 0 && erased < types.length - 1 ? [`${stream} goes on after its end: ${types}`] : []),
  ]
}

/** An address is one person's at a time: the next one has it after a release, or after the end of the one before. */
function addressIsOnes(
  stream: string,
  events: readonly Written[],
  streams: ReadonlyMap<string, readonly Written[]>,
): string[] {
  let holder: string | undefined
  let released: Written | undefined
  const wrong: string[] = []
  for (const event of events) {
    const { type, data, cause } = event
    if (type === 'AddressReleased') {
      holder = undefined
      released = event
    } else if (type === 'AddressClaimed') {
      // Who takes an address over releases it for the one before.
      if (released?.cause === cause) holder = released.data.person_id
      const before = streams.get(`person-${holder}`)?.map((event) => event.type) ?? []
      if (holder !== undefined && !before.includes('PersonErased'))
        wrong.push(`${stream} was taken from ${holder} by ${data.person_id}`)
      holder = data.person_id
    }
  }
  return wrong
}

/** What a person does to others, which only an owner may. */
const OF_OWNERS = ['MemberInvited', 'InvitationWithdrawn', 'MemberRoleChanged', 'MemberRemoved']

/**
 * An account that has had an owner has one, as long as anybody belongs to it; and who invites or changes others is one in
 * that moment.
 */
function hasOwner(stream: string, events: readonly Written[]): string[] {
  const roles = new Map<string, string>()
  for (const { type, data, actor } of events) {
    const [, person] = /^person:(.+)$/.exec(actor ?? '') ?? []
    if (person !== undefined && OF_OWNERS.includes(type) && data.person_id !== person)
      if (roles.get(person) !== 'owner') return [`${stream}: ${type} by ${person}, who is no owner`]
    if (type === 'MemberAdded' || type === 'MemberRoleChanged') roles.set(data.person_id, data.role)
    else if (type === 'MemberRemoved') roles.delete(data.person_id)
    else continue
    if (![...roles.values()].includes('owner')) return [`${stream} has no owner after ${type}`]
  }
  return []
}

/** Of who is gone, or never joined, nothing lies in the vault; what the log names does. */
function nothingIsLeft(
  log: readonly Written[],
  streams: ReadonlyMap<string, readonly Written[]>,
  vault: readonly string[],
): string[] {
  const isThere = (person: string) => {
    const types = streams.get(`person-${person}`)?.map(({ type }) => type) ?? []
    return types.includes('PersonJoined') && !types.includes('PersonErased')
  }
  const owners = new Set(vault.flatMap((key) => /^per_[0-9a-z]+/.exec(key)?.[0] ?? []))
  const left = [...owners].filter((person) => !isThere(person))
  const joined = log.flatMap(({ type, data }) => (type === 'PersonJoined' ? [data.person_id as string] : []))
  const lost = joined.filter((person) => isThere(person) && !owners.has(person))
  return [
    ...left.map((person) => `of ${person}, who is gone, something is left in the vault`),
    ...lost.map((person) => `of ${person}, who is there, nothing is left in the vault`),
  ]
}
