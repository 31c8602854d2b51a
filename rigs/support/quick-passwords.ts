/**
 * Cheap password hashes, for helpers that create people. A test of the cost switches to the real ones.
 *
 * @module
 */
import { type ScryptOptions, scrypt } from 'node:crypto'
import { replaceScrypt } from '../../src/people/passwords.ts'

type Callback = (error: Error | null, key: Buffer) => void

export const quickPasswords = (): void =>
  replaceScrypt(((password: string, salt: Buffer, bytes: number, _: ScryptOptions, done: Callback) =>
    scrypt(password, salt, bytes, { N: 2, r: 1, p: 1 }, done)) as typeof scrypt)

/** Does something while the next password is hashed. */
export function duringHash(act: () => Promise<unknown>): void {
  replaceScrypt(((password: string, salt: Buffer, bytes: number, _: ScryptOptions, done: Callback) => {
    quickPasswords()
    const hash = () => scrypt(password, salt, bytes, { N: 2, r: 1, p: 1 }, done)
    act().then(hash, (error) => done(error, salt))
  }) as typeof scrypt)
}

/** The production parameters. */
export const realPasswords = (): void => replaceScrypt()
