/**
 * Password hashes: scrypt. Each hash stores its parameters, so they can be raised later. At most two are computed at
 * once, each with 32 MiB; the others wait.
 *
 * @module
 */
import { type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import pLimit from 'p-limit'
import { randomBytes } from '../random.ts'

const LEAST_CHARACTERS = 12
const MOST_CHARACTERS = 255
/** Parameters of scrypt; N is 2 to `logN`. */
type Cost = { readonly logN: number; readonly r: number; readonly p: number }
/** According to OWASP equivalent to N = 2^17 with p = 1, at a quarter of the memory. */
const COST: Cost = { logN: 15, r: 8, p: 3 }
const HASH_BYTES = 32
const SALT_BYTES = 16

const atOnce = pLimit(2)
/** A hash that nobody has: checking it takes as long as checking a real one. */
const NOBODY = `scrypt$${COST.logN}$${COST.r}$${COST.p}$${'A'.repeat(22)}==$${'A'.repeat(43)}=`

/** Normalizes a password before hashing, since keyboards compose the same characters differently. */
const normal = (password: string): string => password.normalize('NFC')

/** The problem of a new password, as a sentence for the user; undefined if it is acceptable. */
export function passwordIssue(password: string): string | undefined {
  const { length } = [...normal(password)]
  if (length < LEAST_CHARACTERS) return `Use at least ${LEAST_CHARACTERS} characters.`
  return length > MOST_CHARACTERS ? `Use at most ${MOST_CHARACTERS} characters.` : undefined
}

/** The hash of a new password, with its salt and parameters. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES)
  const hash = await derive(password, salt, HASH_BYTES, COST)
  return ['scrypt', COST.logN, COST.r, COST.p, salt.toString('base64'), hash.toString('base64')].join('$')
}

/**
 * Whether a password matches a hash.
 *
 * @param hashed undefined if the person is unknown or has no password: the check takes as long and always fails
 */
export async function isPassword(password: string, hashed: string | undefined): Promise<boolean> {
  const [, logN, r, p, salt = '', hash = ''] = (hashed ?? NOBODY).split('$')
  const expected = Buffer.from(hash, 'base64')
  const cost = { logN: Number(logN), r: Number(r), p: Number(p) }
  const actual = await derive(password, Buffer.from(salt, 'base64'), expected.length, cost)
  return timingSafeEqual(actual, expected) && hashed !== undefined
}

type Derive = typeof scrypt
let current: Derive = scrypt

/** Replaces scrypt, for simulations, which need a fast function. @param other scrypt by default */
export function replaceScrypt(other: Derive = scrypt): void {
  current = other
}

function derive(password: string, salt: Buffer, bytes: number, { logN, r, p }: Cost): Promise<Buffer> {
  // A longer text cannot be anybody's password and would only cost time.
  const text = normal(password.slice(0, 4 * MOST_CHARACTERS))
  const options: ScryptOptions = { N: 2 ** logN, r, p, maxmem: 256 * r * 2 ** logN }
  return atOnce(
    () =>
      new Promise((resolve, reject) =>
        current(text, salt, bytes, options, (error, hash) => (error ? reject(error) : resolve(hash))),
      ),
  )
}
