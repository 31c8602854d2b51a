/**
 * The fold of each kind of stream.
 *
 * @module
 */
import { type AccountState, evolveAccount, initialAccount } from '../domain/account.ts'
import { type AddressState, evolveAddress, initialAddress } from '../domain/address.ts'
import { evolveKey, initialKey, type KeyState } from '../domain/key.ts'
import { evolveLogin, initialLogin, type LoginState } from '../domain/login.ts'
import { evolvePerson, initialPerson, type PersonState } from '../domain/person.ts'
import { evolveRun, initialRun, type RunState } from '../domain/run.ts'
import { evolveWebhook, initialWebhook, type WebhookState } from '../domain/webhook.ts'
import type { Fold } from './execute.ts'

export const runFold: Fold<RunState> = { initial: initialRun, evolve: evolveRun }
export const keyFold: Fold<KeyState> = { initial: initialKey, evolve: evolveKey }
export const accountFold: Fold<AccountState> = { initial: initialAccount, evolve: evolveAccount }
export const loginFold: Fold<LoginState> = { initial: initialLogin, evolve: evolveLogin }
export const personFold: Fold<PersonState> = { initial: initialPerson, evolve: evolvePerson }
export const addressFold: Fold<AddressState> = { initial: initialAddress, evolve: evolveAddress }
export const webhookFold: Fold<WebhookState> = { initial: initialWebhook, evolve: evolveWebhook }
