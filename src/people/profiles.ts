/**
 * Personal data: name, address and password hash. It is stored only in the vault, sealed with the person's data key.
 *
 * @module
 */
import { clock } from '../async/clock.ts'
import { type PersonId, timeOrdered } from '../domain/ids.ts'
import { randomBytes } from '../random.ts'
import type { Vault } from '../vault/vault.ts'
import { hashPassword } from './passwords.ts'

export type Profile = {
  readonly name: string
  /** the address as the person wrote it */
  readonly email: string
}

const PROFILE = 'profile'
const MOST_NAME = 100
/** RFC 5321: 64 characters, an @ and 255 characters, but 254 in total. */
const MOST_EMAIL = 254

/** Saves a profile, replacing the previous one. */
export const saveProfile = (vault: Vault, person: PersonId, { name, email }: Profile): Promise<void> =>
  vault.saveRecord(person, PROFILE, JSON.stringify({ name, email }))

/** The profile of a person; undefined after the person was erased. */
export async function loadProfile(vault: Vault, person: PersonId): Promise<Profile | undefined> {
  const text = await vault.loadRecord(person, PROFILE)
  return text === undefined ? undefined : (JSON.parse(text) as Profile)
}

/** Saves the hash of a password beside the active one. @returns its ref, for the event that activates it */
export async function savePassword(vault: Vault, person: PersonId, password: string): Promise<string> {
  const ref = `pwd_${timeOrdered(clock.now(), randomBytes(10))}`
  await vault.saveRecord(person, ref, await hashPassword(password))
  return ref
}

/** Normalizes a name: collapses blanks, and drops control characters, which could reverse the text around it. */
export const tidyName = (text: string): string =>
  text
    .normalize('NFC')
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '')
    .replaceAll(/\s+/g, ' ')
    .trim()

/** The problem of a name, as a sentence; undefined if it is valid. */
export function nameIssue(name: string): string | undefined {
  if (name === '') return 'Enter a name.'
  return [...name].length > MOST_NAME ? `Use at most ${MOST_NAME} characters.` : undefined
}

/** The problem of an address, as a sentence; undefined if it is valid. */
export function emailIssue(email: string): string | undefined {
  const isAddress =
    email.length <= MOST_EMAIL &&
    /^[^\s@<>"',;:\\()[\]\p{C}]{1,64}@[^\s@.\p{C}]+(\.[^\s@.\p{C}]+)*$/u.test(email)
  return isAddress ? undefined : 'Enter an e-mail address, like ann@example.org.'
}
