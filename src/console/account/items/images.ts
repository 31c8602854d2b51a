/**
 * The images of items, shown by the service itself: a browser asks no other host. The address names the item and which
 * of its images; it cannot name a URL, so nobody can fetch anything else through it.
 *
 * @module
 */
import { existing } from '../../../http/problems.ts'
import type { AccountVisitor } from '../../visitor.ts'
import { itemIn } from './item.ts'
import { imagesOf } from './values.ts'

const DAY_S = 86_400

/** Answers with an image of an item. @throws {Problem} 404, also for an image that cannot be had */
export async function showImage(visitor: AccountVisitor): Promise<Response> {
  const { deps, call, accountId } = visitor
  const { run, item } = await itemIn(visitor)
  const { n = '' } = call.params
  const url = existing(/^\d{1,4}$/.test(n) ? imagesOf(item)[Number(n)] : undefined)
  const source = existing(deps.catalogue.get(run.taskKey)?.source)
  const release = deps.hold?.(call.request)
  try {
    const { type, body } = existing(await call.time.except(deps.images.of(source, url, accountId)))
    return new Response(body, {
      headers: {
        'content-type': type,
        'content-length': String(body.length),
        'cache-control': `private, max-age=${DAY_S}`,
        'content-disposition': 'inline',
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; sandbox",
      },
    })
  } finally {
    release?.()
  }
}
