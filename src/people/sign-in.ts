/**
 * Sign-in by address and password, with a rate limit on wrong attempts.
 *
 * @module
 */
import pLimit from 'p-limit'
import type { Person } from '../domain/person.ts'
import { addressKey } from './addresses.ts'
import { isPassword } from './passwords.ts'
import type { DepsWithPeople, PeopleCause } from './people.ts'
import { PeopleRefused } from './refused.ts'

/** Too many wrong attempts to sign in. */
export class TooManyTries extends Error {
  override readonly name = 'TooManyTries'
  constructor(readonly retryS: number) {
    super(`too many tries; the next is allowed in ${retryS} s`)
  }
}

/** Wrong attempts per minute. */
const TRIES_OF_ADDRESS = 5
const TRIES_OF_CLIENT = 20

export class SignIn {
  /** Checks as many attempts at once as hashes are computed, so that concurrent attempts are counted one by one. */
  private readonly atOnce = pLimit(2)

  constructor(private readonly deps: DepsWithPeople) {}

  /**
   * Checks an address and a password.
   *
   * @param client the network address of the client; undefined if unknown
   * @throws {TooManyTries} also with the right password
   * @throws {PeopleRefused} `wrong-password`, also for unknown addresses
   */
  by(email: string, password: string, client: string | undefined, cause: PeopleCause): Promise<Person> {
    return this.atOnce(() => this.check(email, password, client, cause))
  }

  private async check(
    email: string,
    password: string,
    client: string | undefined,
    cause: PeopleCause,
  ): Promise<Person> {
    const { people, vault, ephemeral, now } = this.deps
    const tries: [name: string, most: number][] = [
      [`address:${await vault.digest(addressKey(email))}`, TRIES_OF_ADDRESS],
    ]
    if (client !== undefined) tries.push([`client:${client}`, TRIES_OF_CLIENT])
    const waits = await Promise.all(tries.map(([name, most]) => ephemeral.waitS(name, 'try', most, now())))
    const waitS = Math.max(...waits)
    if (waitS > 0) throw new TooManyTries(waitS)
    const { person, hashed } = await people.credentialsOf(email)
    if (!(await isPassword(password, hashed)) || !person) {
      await Promise.all(tries.map(([name, most]) => ephemeral.take(name, 'try', most, now())))
      throw new PeopleRefused('wrong-password')
    }
    await people.complete(person, { ...cause, actor: `person:${person.personId}` })
    return person
  }
}
