/**
 * The building blocks of event types: meaning, version, schema, and the fields that several types share.
 *
 * @module
 */
import { type Static, type TProperties, Type } from '@sinclair/typebox'
import type { AccountId, InvitationId, KeyId, PersonId, RunId, WebhookId } from './ids.ts'

/** An event type: its meaning, the fields of its data, and its version. */
export const event = <Fields extends TProperties>(about: string, fields: Fields, v = 1) => ({
  v,
  about,
  schema: Type.Object(fields),
})

const Id = <T extends string>() => Type.Unsafe<T>(Type.String())
export const Run = Id<RunId>()
export const Account = Id<AccountId>()
export const Key = Id<KeyId>()
export const Person = Id<PersonId>()
export const Invitation = Id<InvitationId>()
export const Webhook = Id<WebhookId>()
export const Credits = Type.Integer({ minimum: 0, description: 'credits' })
/** A key of the artifact store. */
export const Ref = Type.String({ description: 'key in the artifact store' })
export const Sha256 = Type.String({ description: 'SHA-256, lower-case hex' })
/** How a call or a form is recognised when it is repeated: hashes of its Idempotency-Key and of its body. */
export const Operation = Type.Optional(Type.Object({ id: Sha256, fingerprint: Sha256 }))
export type Operation = NonNullable<Static<typeof Operation>>
export const State = Type.String({ description: 'key in the vault' })
