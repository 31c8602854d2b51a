/**
 * Exports a profile of large videos. Prints as JSON how the export ended, and by how many bytes the memory of this
 * process had grown at its peak.
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
  // The memory that the first video needs once does not count as growth.
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
