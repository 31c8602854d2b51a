/**
 * Tokens of links to sign-ins. Only their hashes are kept.
 *
 * @module
 */
import { hash } from 'node:crypto'

/** 32 bytes in base64url. */
const TOKEN = /^[A-Za-z0-9_-]{43}$/

/** Whether a text has the form of a token; anything else is refused without a look-up. */
export const isToken = (text: string): boolean => TOKEN.test(text)

/** What a token is found by. */
export const hashOfToken = (token: string): string => hash('sha256', token)
