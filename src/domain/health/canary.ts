/**
 * The account whose runs try the tasks.
 *
 * @module
 */
import type { AccountId } from '../ids.ts'

/** The operator's own account `canary`: its runs are free of charge. Derived from the SHA-256 of the word. */
export const CANARY_ACCOUNT_ID = 'acc_w40fqkg0hg2erg33fbraz4fv5w' as AccountId
