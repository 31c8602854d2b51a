/**
 * The shapes of all answers of a run, and how they differ from those of an earlier run.
 *
 * @module
 */
import { answerOf, type Exchange } from '../../src/plugin/testing/exchanges.ts'
import { isHtml, jsonInBody } from './body.ts'
import { compareShapes, type ShapeChange } from './compare.ts'
import { skeletonOf } from './html.ts'
import { pathsOf } from './json.ts'
import { nameOrStar } from './names.ts'
import { mergedShape, type Shape } from './shape.ts'

/** How the answers of one address changed. */
export type AnswerChange = {
  /** method and path, with `*` for ids, such as `GET /lamps/*`; with its origin when that is not the source's */
  readonly address: string
  /** the statuses of the old answers; empty when the address was not requested */
  readonly was: readonly number[]
  /** as `was`, of the new answers */
  readonly now: readonly number[]
  /** empty unless both runs requested the address */
  readonly changes: readonly ShapeChange[]
}

type Answers = { readonly statuses: readonly number[]; readonly shape: Shape }

/**
 * The addresses whose answers changed in shape or status, and those that only one of two runs requested, in the order
 * of the old run. Refusals have no shape: their bodies are rarely recorded.
 *
 * @param old the exchanges of the old run
 * @param fresh those of the new run
 */
export async function compareAnswers(
  old: readonly Exchange[],
  fresh: readonly Exchange[],
): Promise<AnswerChange[]> {
  const before = await byAddress(old, addressOf)
  const known = [...before.keys()]
  const after = await byAddress(fresh, (request) => {
    const address = addressOf(request)
    return known.find((each) => isAlike(each, address)) ?? address
  })
  return [...new Set([...known, ...after.keys()])].flatMap((address) => {
    const [was, now] = [before.get(address), after.get(address)]
    const changes = was?.shape.size && now?.shape.size ? compareShapes(was.shape, now.shape) : []
    const change = { address, was: was?.statuses ?? [], now: now?.statuses ?? [], changes }
    return changes.length > 0 || change.was.join() !== change.now.join() ? [change] : []
  })
}

async function byAddress(
  exchanges: readonly Exchange[],
  addressed: (request: string) => string,
): Promise<ReadonlyMap<string, Answers>> {
  const answers = new Map<string, Answers>()
  for (const [address, own] of Map.groupBy(exchanges, ({ request }) => addressed(request))) {
    const statuses = [...new Set(own.map(({ status = 200 }) => status))].sort()
    const shapes = own.filter(({ status = 200 }) => status < 300).map(shapeOf)
    answers.set(address, { statuses, shape: mergedShape(await Promise.all(shapes)) })
  }
  return answers
}

/** Whether an address is the same, or one that an address with `*` stands for. */
const isAlike = (known: string, address: string): boolean => {
  const [steps, others] = [known.split('/'), address.split('/')]
  return steps.length === others.length && steps.every((step, i) => step === '*' || step === others[i])
}

/** The shape of an answer: of its JSON or its page; empty for any other. */
export async function shapeOf(exchange: Exchange): Promise<Shape> {
  if (exchange.json !== undefined) return pathsOf(exchange.json)
  const type = exchange.headers?.['content-type'] ?? ''
  if (exchange.base64 !== undefined && !/html|json/.test(type)) return new Map()
  const text = await answerOf(exchange).text()
  const json = jsonInBody(text)
  if (json !== undefined) return pathsOf(json)
  return isHtml(text) ? skeletonOf(text) : new Map()
}

function addressOf(request: string): string {
  const [, method = 'GET', address = ''] = /^(?:([A-Z]+) )?(\S*)$/.exec(request) ?? []
  const [, origin = '', path = '/'] = /^(https?:\/\/[^/]+)?([^?#]*)/.exec(address) ?? []
  return `${method} ${origin}${path.split('/').map(nameOrStar).join('/')}`
}
