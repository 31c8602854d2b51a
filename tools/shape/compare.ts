/**
 * The differences between the shapes of two answers from one address.
 *
 * @module
 */
import { countOf, filledOf, type Kind, type Part, type Shape } from './shape.ts'

/**
 * How a path changed: it vanished, appeared, has values of another kind, or has a value less than half as often.
 */
export type ShapeChange = {
  readonly path: string
  readonly change: 'vanished' | 'kind' | 'rarer' | 'appeared'
  /** as in {@link shareOf}; 0 when the path appeared */
  readonly was: number
  /** as in {@link shareOf}; 0 when it vanished */
  readonly now: number
  readonly kinds: { readonly was: readonly Kind[]; readonly now: readonly Kind[] }
  /** for a path that vanished: a path that appeared in its place and may be its new name */
  readonly like?: string
}

const ORDER = ['vanished', 'kind', 'rarer', 'appeared'] as const

/**
 * What changed between two answers. When a path vanished or appeared, the paths below it did so too and are left out.
 *
 * @returns the changes that break parsers first; empty for equal shapes
 */
export function compareShapes(old: Shape, fresh: Shape): ShapeChange[] {
  const vanished = only(old, fresh)
  const appeared = only(fresh, old)
  const changes: ShapeChange[] = [
    ...vanished.map((path): ShapeChange => {
      const like = successorOf(path, { old, fresh, appeared })
      const change = changeOf(path, 'vanished', old, fresh)
      return like === undefined ? change : { ...change, like }
    }),
    ...[...old.keys()].flatMap((path) => alteredOf(path, old, fresh)),
    ...appeared.map((path) => changeOf(path, 'appeared', old, fresh)),
  ]
  const weight = ({ was, like }: ShapeChange) => was + (like === undefined ? 0 : 1)
  return changes.sort((a, b) => ORDER.indexOf(a.change) - ORDER.indexOf(b.change) || weight(b) - weight(a))
}

/** The outermost paths that only the first shape has. */
const only = (shape: Shape, other: Shape): string[] =>
  [...shape].flatMap(([path, { parent }]) =>
    other.has(path) || (parent !== null && !other.has(parent)) ? [] : [path],
  )

/** A path whose values became others, or rare. Elements of pages are as many as a page has rows, so they are not. */
function alteredOf(path: string, old: Shape, fresh: Shape): ShapeChange[] {
  const [was, now] = [old.get(path), fresh.get(path)]
  if (!was || !now || was.kinds.has('element')) return []
  const before = valueKinds(was)
  const after = valueKinds(now)
  if (before.length > 0 && (after.length === 0 || after.some((kind) => !before.includes(kind))))
    return [changeOf(path, 'kind', old, fresh)]
  return shareOf(path, fresh) * 2 < shareOf(path, old) ? [changeOf(path, 'rarer', old, fresh)] : []
}

function changeOf(path: string, change: ShapeChange['change'], old: Shape, fresh: Shape): ShapeChange {
  const kindsIn = (shape: Shape): Kind[] => [...(shape.get(path)?.kinds.keys() ?? [])]
  return {
    path,
    change,
    was: shareOf(path, old),
    now: shareOf(path, fresh),
    kinds: { was: kindsIn(old), now: kindsIn(fresh) },
  }
}

/** The only path that appeared beside a path that vanished, as often and with values of the same kinds. */
function successorOf(
  path: string,
  { old, fresh, appeared }: { old: Shape; fresh: Shape; appeared: readonly string[] },
): string | undefined {
  const was = old.get(path) as Part
  const alike = appeared.filter((candidate) => {
    const now = fresh.get(candidate) as Part
    const [few, many] = [shareOf(path, old), shareOf(candidate, fresh)].sort((a, b) => a - b)
    return (
      now.parent === was.parent &&
      !was.kinds.has('element') &&
      valueKinds(now).join() === valueKinds(was).join() &&
      few! * 2 >= many!
    )
  })
  return alike.length === 1 ? alike[0] : undefined
}

const valueKinds = ({ kinds }: Part): Kind[] => [...kinds.keys()].filter((kind) => kind !== 'null').sort()

/** The share, from 0 to 1, of the objects around a path that have a value there. 1 for entries of lists and elements. */
export function shareOf(path: string, shape: Shape): number {
  const part = shape.get(path)
  if (!part) return 0
  const objects = part.parent === null ? undefined : shape.get(part.parent)?.kinds.get('object')
  return Math.min(1, filledOf(part) / (objects ?? countOf(part)))
}
