/**
 * Compares handwritten types with /openapi.json.
 *
 * @module
 */

// biome-ignore lint/suspicious/noExplicitAny: JSON Schema whose form is known
type Schema = any
/** A type as test/clients/python/shapes.py prints it. */
export type Shape = {
  readonly kind: string
  /** the inner type of an array or a nullable type */
  readonly of?: Shape
  /** of an enum */
  readonly values?: readonly string[]
  readonly required?: readonly string[]
  readonly fields?: Readonly<Record<string, Shape>>
}

/** The place of each type in /openapi.json: a component, or an answer or body of a call with a path in it. */
export const PLACES: Readonly<Record<string, string>> = {
  Run: '/components/schemas/Run',
  Progress: '/components/schemas/Run/properties/progress',
  Credits: '/components/schemas/Run/properties/credits',
  Usage: '/components/schemas/Usage',
  Links: '/components/schemas/Run/properties/links',
  Artifact: '/components/schemas/Artifact',
  RunError: '/components/schemas/RunError',
  Task: '/components/schemas/Task',
  Drift: '/components/schemas/Drift',
  HealthDay: '/components/schemas/HealthDay',
  TaskHealth: '/components/schemas/TaskHealth',
  Account: '/components/schemas/Account',
  Limits: '/components/schemas/Account/properties/limits',
  LedgerEntry: '/components/schemas/LedgerEntry',
  Key: '/components/schemas/Key',
  NewKey: '/components/schemas/NewKey',
  Event: '/components/schemas/Event',
  FieldError: '/components/schemas/Problem/properties/errors/items',
  Login: 'GET /v1/logins 200 /properties/logins/items',
  StartedLogin: 'POST /v1/logins/{source} 201',
  OpenedAccount: 'POST /admin/accounts 201',
  GrantedCredits: 'POST /admin/grant-credits 200',
  LimitChanges: 'POST /admin/set-entitlements body /properties/limits',
  Webhook: '/components/schemas/Webhook',
  NewWebhook: '/components/schemas/NewWebhook',
  WebhookWithSecret: '/components/schemas/WebhookWithSecret',
  WebhookChanges: 'PATCH /v1/webhooks/{webhook_id} body',
  WebhookTest: 'POST /v1/webhooks/{webhook_id}/test 200',
  Delivery: '/components/schemas/WebhookDelivery',
  Attempt: '/components/schemas/WebhookDelivery/properties/attempts/items',
  Replay: 'POST /v1/webhooks/{webhook_id}/replay 202',
}

/** The paths at which the types differ from the document. */
export function differences(document: Schema, shapes: Readonly<Record<string, Shape>>): string[] {
  const at = (path: string, from: Schema): Schema =>
    path
      .split('/')
      .slice(1)
      .reduce((so, part) => resolved(so)[part], from)
  const resolved = (schema: Schema): Schema =>
    schema?.$ref ? resolved(at(schema.$ref.slice(1), document)) : schema

  function placeOf(place: string): Schema {
    if (place.startsWith('/')) return resolved(at(place, document))
    const [method = '', path = '', answer = '', within = ''] = place.split(' ')
    const call = document.paths[path][method.toLowerCase()]
    const { content } = resolved(answer === 'body' ? call.requestBody : call.responses[answer])
    return resolved(at(within, resolved(content['application/json'].schema)))
  }

  function differ(shape: Shape, reference: Schema, path: string): string[] {
    const schema = resolved(reference)
    const { nullable, schema: some } = withoutNull(schema)
    if (nullable !== (shape.kind === 'nullable')) return [`${path}: null`]
    if (shape.kind === 'nullable') return differ(shape.of!, some, path)
    if (shape.kind === 'fields') {
      const own = Object.keys(shape.fields!).sort()
      const wanted = Object.keys(some.properties).sort()
      if (own.join() !== wanted.join()) return [`${path}: ${own.join()} and not ${wanted.join()}`]
      if (shape.required!.join() !== [...(some.required ?? [])].sort().join()) return [`${path}: required`]
      return own.flatMap((name) => differ(shape.fields![name]!, some.properties[name], `${path}/${name}`))
    }
    if (shape.kind === 'array') return differ(shape.of!, some.items, `${path}/items`)
    const values = valuesOf(some)
    if (shape.kind === 'enum')
      return values?.sort().join() === [...shape.values!].sort().join() ? [] : [`${path}: ${values}`]
    const kind = values ? 'string' : some.type
    return kind === shape.kind ? [] : [`${path}: ${kind}`]
  }

  function withoutNull(schema: Schema): { readonly nullable: boolean; readonly schema: Schema } {
    if (Array.isArray(schema.type) && schema.type.includes('null'))
      return {
        nullable: true,
        schema: { ...schema, type: schema.type.find((type: string) => type !== 'null') },
      }
    const some = schema.anyOf?.filter((one: Schema) => one.type !== 'null')
    if (some === undefined || some.length === schema.anyOf.length) return { nullable: false, schema }
    return { nullable: true, schema: some.length === 1 ? resolved(some[0]) : { ...schema, anyOf: some } }
  }

  const valuesOf = (schema: Schema): string[] | undefined =>
    schema.enum ?? (schema.const ? [schema.const] : schema.anyOf?.map((one: Schema) => one.const))

  return Object.entries(PLACES).flatMap(([name, place]) => differ(shapes[name]!, placeOf(place), name))
}
