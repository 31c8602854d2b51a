/**
 * Sign-in by address and password, with a rate limit on wrong attempts.
 *
 * @module
 */
import pLimit from 'p-limit'
import type { PersonId } from '../domain/ids.ts'
import type { Person } from '../domain/person.ts'
import type { EphemeralStore } from '../ephemeral/ephemeral-store.ts'
import { Refused } from '../log/refused.ts'
import type { Vault } from '../vault/vault.ts'
import { addressKey, byPerson, type PeopleCause } from './addresses.ts'
import { isPassword } from './passwords.ts'
import type { People } from './people.ts'

/** Too many wrong attempts to sign in. */
export class TooManyTries extends Error {
  override readonly name = 'TooManyTries'
  constructor(readonly retryS: number) {
    super(`Too many attempts. Try again in ${retryS} seconds.`)
  }
}

/** Wrong attempts per minute. */
const TRIES_OF_ADDRESS = 5
const TRIES_OF_CLIENT = 20
/** What attempts are counted by, and the number of wrong ones per minute. */
type Tries = [name: string, most: number][]

export type SignInOptions = {
  readonly people: People
  readonly vault: Vault
  /** counts wrong attempts */
  readonly ephemeral: EphemeralStore
  /** milliseconds since 1970 */
  readonly now: () => number
}

export class SignIn {
  /** Checks as many attempts at once as hashes are computed, so that concurrent attempts are counted one by one. */
  private readonly atOnce = pLimit(2)

  constructor(private readonly options: SignInOptions) {}

  /**
   * Checks an address and a password.
   *
   * @param client the network address of the client; undefined if unknown
   * @throws {TooManyTries} also with the right password
   * @throws {Refused} `wrong-password`, also for unknown addresses
   */
  async by(email: string, password: string, client: string | undefined, cause: PeopleCause): Promise<Person> {
    const { people, vault } = this.options
    const tries: Tries = [[`address:${await vault.digest(addressKey(email))}`, TRIES_OF_ADDRESS]]
    if (client !== undefined) tries.push([`client:${client}`, TRIES_OF_CLIENT])
    return this.counted(tries, async () => {
      const { person, hashed } = await people.credentialsOf(email)
      if (!(await isPassword(password, hashed)) || !person) throw new Refused({ refused: 'wrong-password' })
      await people.complete(person, byPerson(person.personId, cause))
      return person
    })
  }

  /**
   * Does what a signed-in person may do with their password only. A wrong one counts, because each check takes time that
   * other people's sign-ins wait for, and a stolen session must not help to guess.
   *
   * @param attempt throws {@link Refused} `wrong-password` if the password is wrong
   * @throws {TooManyTries} also with the right password
   */
  withPassword<T>(personId: PersonId, attempt: () => Promise<T>): Promise<T> {
    return this.counted([[`person:${personId}`, TRIES_OF_ADDRESS]], attempt)
  }

  private counted<T>(tries: Tries, attempt: () => Promise<T>): Promise<T> {
    const { ephemeral, now } = this.options
    return this.atOnce(async () => {
      const waits = await Promise.all(tries.map(([name, most]) => ephemeral.waitS(name, 'try', most, now())))
      const waitS = Math.max(...waits)
      if (waitS > 0) throw new TooManyTries(waitS)
      try {
        return await attempt()
      } catch (error) {
        if (error instanceof Refused && error.code === 'wrong-password')
          await Promise.all(tries.map(([name, most]) => ephemeral.take(name, 'try', most, now())))
        throw error
      }
    })
  }
}
