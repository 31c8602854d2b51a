/**
 * The names of those who start runs: keys, people, the operator.
 *
 * @module
 */
import { keys } from '../../../projections/keys.ts'
import type { Actor } from '../../domain/events.ts'
import { parseKeyId, parsePersonId } from '../../domain/ids.ts'
import type { People } from '../../people/people.ts'
import type { ReadModels } from '../../read/read-models.ts'

type NameDeps = { readonly readModels: ReadModels; readonly people: { readonly profile: People['profile'] } }

/**
 * The names of actors of an account's runs: `Ann`, `key nightly`. A key without a name has its first characters, and so
 * have keys of the same name.
 */
export async function starterNames(
  { readModels, people }: NameDeps,
  actors: Iterable<Actor>,
): Promise<ReadonlyMap<Actor, string>> {
  const wanted = [...new Set(actors)]
  const keyIds = wanted.flatMap((actor) => keyIn(actor) ?? [])
  const [rows, persons] = await Promise.all([
    keyIds.length === 0 ? [] : readModels.getMany(keys, keyIds),
    Promise.all(wanted.map(async (actor) => [actor, await personName(people, actor)] as const)),
  ])
  const named = rows.flatMap((row) => row?.name ?? [])
  const names = new Map<Actor, string>()
  for (const [actor, name] of persons) names.set(actor, name ?? OF_NOBODY[actor] ?? 'an unknown key')
  for (const row of rows) {
    if (!row) continue
    const { key_id, name, prefix } = row
    const isUnique = named.filter((each) => each === name).length === 1
    names.set(
      `key:${key_id}`,
      `key ${name === null ? `${prefix}…` : isUnique ? name : `${name} (${prefix}…)`}`,
    )
  }
  return names
}

const OF_NOBODY: { readonly [actor in Actor]?: string } = { operator: 'the operator', service: 'the service' }

const keyIn = (actor: Actor) =>
  actor.startsWith('key:') ? parseKeyId(actor.slice('key:'.length)) : undefined

async function personName(people: NameDeps['people'], actor: Actor): Promise<string | undefined> {
  if (!actor.startsWith('person:')) return undefined
  const id = parsePersonId(actor.slice('person:'.length))
  return (id && (await people.profile(id)))?.name ?? 'a removed person'
}
