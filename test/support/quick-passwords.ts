/**
 * Passwords whose hashes take no time: imported by what makes people for tests. A test of their cost asks for the real ones.
 *
 * @module
 */
import { type ScryptOptions, scrypt } from 'node:crypto'
import { replaceScrypt } from '../../src/people/passwords.ts'

type Callback = (error: Error | null, key: Buffer) => void

export const quickPasswords = (): void =>
  replaceScrypt(((password: string, salt: Buffer, bytes: number, _: ScryptOptions, done: Callback) =>
    scrypt(password, salt, bytes, { N: 2, r: 1, p: 1 }, done)) as typeof scrypt)

/** As they are for people. */
export const realPasswords = (): void => replaceScrypt()
