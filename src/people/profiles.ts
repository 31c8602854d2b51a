/**
 * What names a person, in the vault alone: name, address and password hash, sealed by a data key of the person.
 *
 * @module
 */
import { clock } from '../async/clock.ts'
import { type PersonId, timeOrdered } from '../domain/ids.ts'
import { randomBytes } from '../random.ts'
import type { Vault } from '../vault/vault.ts'

export type Profile = {
  readonly name: string
  /** the address as the person wrote it */
  readonly email: string
}

const PROFILE = 'profile'
const MOST_NAME = 100
/** RFC 5321: 64 characters, an @ and 255, and 254 in all. */
const MOST_EMAIL = 254

export class Profiles {
  constructor(private readonly vault: Vault) {}

  /** Saves a profile in place of what is there. */
  save(person: PersonId, { name, email }: Profile): Promise<void> {
    return this.vault.saveRecord(person, PROFILE, JSON.stringify({ name, email }))
  }

  /** Undefined of somebody who was erased. */
  async load(person: PersonId): Promise<Profile | undefined> {
    const text = await this.vault.loadRecord(person, PROFILE)
    return text === undefined ? undefined : (JSON.parse(text) as Profile)
  }

  /** Saves a password's hash beside the one that counts. @returns its ref, for the event that makes it count */
  async savePassword(person: PersonId, hash: string): Promise<string> {
    const ref = `pwd_${timeOrdered(clock.now(), randomBytes(10))}`
    await this.vault.saveRecord(person, ref, hash)
    return ref
  }

  async password(person: PersonId, ref: string): Promise<string | undefined> {
    return this.vault.loadRecord(person, ref)
  }

  removePassword(person: PersonId, ref: string): Promise<void> {
    return this.vault.removeRecord(person, ref)
  }

  /** Destroys the person's data key, which makes all of it unreadable at once, and then the rest. */
  async erase(person: PersonId): Promise<void> {
    await this.vault.forget(person)
  }
}

/** A name as it is kept: blanks are one, and what would turn the text around it is nothing. */
export const tidyName = (text: string): string =>
  text
    .normalize('NFC')
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '')
    .replaceAll(/\s+/g, ' ')
    .trim()

/** What is wrong with a name, as a sentence; undefined when nothing is. */
export function nameIssue(name: string): string | undefined {
  if (name === '') return 'Enter a name.'
  return [...name].length > MOST_NAME ? `Use at most ${MOST_NAME} characters.` : undefined
}

/** What is wrong with an address, as a sentence; undefined when mail may reach it. */
export function emailIssue(email: string): string | undefined {
  const isAddress =
    email.length <= MOST_EMAIL &&
    /^[^\s@<>"',;:\\()[\]\p{C}]{1,64}@[^\s@.\p{C}]+(\.[^\s@.\p{C}]+)*$/u.test(email)
  return isAddress ? undefined : 'Enter an e-mail address, like ann@example.org.'
}
