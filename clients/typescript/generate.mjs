/**
 * What the client takes from the service's OpenAPI document: types, and a table of the tasks.
 *
 * @module
 */
import openapiTS, { astToString } from 'openapi-typescript'

const HEAD = '// Made by "npm run clients" from /openapi.json. Do not edit.\n'
/** Answers that are no part of the client's interface: pages, and the documents themselves. */
const LEFT_OUT = new Set(['/', '/docs', '/openapi.json', '/asyncapi.json', '/metrics'])

/**
 * Generates the files.
 *
 * @param {object} document OpenAPI 3.1
 * @returns {Promise<Record<string, string>>} the text of each file, by its path from this folder
 */
export async function generate(document) {
  const { api, tasks } = trimmed(document)
  const types = astToString(await openapiTS(api, { emptyObjectsUnknown: true, silent: true }))
  const rows = tasks.map(
    ({ key, path, next }) => `  '${key}': { path: '${path}', next: ${next ? `'${next}'` : 'null'} },\n`,
  )
  return {
    'generated/api.d.ts': `${HEAD}${types}\n${tasksInterface(tasks)}`,
    'src/tasks.ts': `${HEAD}/** Where each task is, and the field of its input that takes \`next_cursor\`. */\nexport const TASKS: { readonly [key: string]: { readonly path: string; readonly next: string | null } } = {\n${rows.join('')}}\n`,
  }
}

/** The document without what the client does itself or never shows: keys, errors, headers, examples, other paths of tasks. */
function trimmed({ paths, components, ...rest }) {
  const tasks = []
  const kept = {}
  for (const [path, methods] of Object.entries(paths)) {
    if (LEFT_OUT.has(path)) continue
    for (const [method, operation] of Object.entries(methods)) {
      const key = operation['x-task-key']
      if (key !== undefined && tasks.some((task) => task.key === key)) continue
      kept[path] ??= {}
      kept[path][method] = operationOf(operation)
      if (key !== undefined) tasks.push(taskOf(key, path, operation))
    }
  }
  const { schemas } = components
  return { api: withoutExamples({ ...rest, paths: kept, components: { schemas } }), tasks }
}

function operationOf({ responses, parameters = [], requestBody, ...rest }) {
  const good = Object.entries(responses).filter(([status]) => status < 300)
  const body = requestBody && structuredClone(requestBody)
  // Whether a run is waited for is the client's to say.
  if (rest['x-task-key'] !== undefined) delete body?.content['application/json'].schema.properties._run
  return {
    ...rest,
    parameters: parameters.filter((parameter) => parameter.in !== 'header'),
    ...(body && { requestBody: body }),
    responses: Object.fromEntries(good.map(([status, { headers: _, ...answer }]) => [status, answer])),
  }
}

function taskOf(key, path, { requestBody, responses, operationId, parameters }) {
  const fields = requestBody?.content['application/json'].schema.properties ?? {}
  const { allOf } = responses[200].content['application/json'].schema
  const [{ $ref: result }] = allOf[1].properties.result.anyOf
  return {
    key,
    path,
    operationId,
    hasPath: parameters.some((parameter) => parameter.in === 'path'),
    hasBody: requestBody !== undefined,
    isOptional: requestBody !== undefined && !requestBody.required,
    next: ['cursor', 'after'].find((name) => name in fields) ?? null,
    result: result.split('/').at(-1),
  }
}

function tasksInterface(tasks) {
  const members = tasks.map(({ key, operationId, hasPath, hasBody, isOptional, result }) => {
    const operation = `operations["${operationId}"]`
    const body = `${operation}["requestBody"]`
    const content = `${isOptional ? `NonNullable<${body}>` : body}["content"]["application/json"]`
    const input = [hasPath && `${operation}["parameters"]["path"]`, hasBody && content].filter(Boolean)
    return `    "${key}": {\n        input: ${input.join(' & ')};\n        result: components["schemas"]["${result}"];\n    };\n`
  })
  return `/** The tasks by their keys. Declare those of your own plugins in the same way, in \`declare module 'gleaner-client'\`. */\nexport interface Tasks {\n${members.join('')}}\n`
}

/** Examples are in the documentation; here they would be most of the text. */
function withoutExamples(value) {
  if (Array.isArray(value)) return value.map(withoutExamples)
  if (typeof value !== 'object' || value === null) return value
  const isSchemas = typeof value.properties === 'object'
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => name !== 'example' && name !== 'examples')
      .map(([name, part]) => [
        name,
        isSchemas && name === 'properties' ? fieldsWithoutExamples(part) : withoutExamples(part),
      ]),
  )
}

/** A field may be called `example`. */
const fieldsWithoutExamples = (fields) =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, withoutExamples(field)]))
