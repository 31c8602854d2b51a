/**
 * Exports a profile of large videos, and says on stdout as JSON how it ended and how much memory this process took more
 * at its peak, in bytes.
 *
 * Arguments: the site's origin, a folder for the archive.
 *
 * @module
 */
import { exportOf } from './exporting.ts'

const [origin = '', folder = ''] = process.argv.slice(2)
let before = 0
let peak = 0
const watch = () => {
  const { rss } = process.memoryUsage()
  // What the first video loads once is no growth.
  before ||= rss
  peak = Math.max(peak, rss)
}
let timer: ReturnType<typeof setInterval> | undefined
const { end, file } = await exportOf(origin, folder, new AbortController().signal, ({ type }) => {
  if (type === 'acquire') timer ??= setInterval(watch, 20)
})
watch()
clearInterval(timer)
process.stdout.write(`${JSON.stringify({ end, file, grew: peak - before })}\n`)
