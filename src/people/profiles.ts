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

/** Saves a profile in place of what is there. */
export const saveProfile = (vault: Vault, person: PersonId, { name, email }: Profile): Promise<void> =>
  vault.saveRecord(person, PROFILE, JSON.stringify({ name, email }))

/** Undefined of somebody who was erased. */
export async function loadProfile(vault: Vault, person: PersonId): Promise<Profile | undefined> {
  const text = await vault.loadRecord(person, PROFILE)
  return text === undefined ? undefined : (JSON.parse(text) as Profile)
}

/** Saves a password's hash beside the one that counts. @returns its ref, for the event that makes it count */
export async function savePassword(vault: Vault, person: PersonId, hash: string): Promise<string> {
  const ref = `pwd_${timeOrdered(clock.now(), randomBytes(10))}`
  await vault.saveRecord(person, ref, hash)
  return ref
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
