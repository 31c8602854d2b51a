// @ts-check
// Ages in words, as in src/console/components/durations.ts.

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** @param {number} ms @param {number} large @param {string} name @param {number} small @param {string} smallName */
function two(ms, large, name, small, smallName) {
  const rest = Math.floor((ms % large) / small)
  return `${Math.floor(ms / large)} ${name}${rest > 0 ? ` ${rest} ${smallName}` : ''}`
}

/** A time that has passed, in whole seconds. @param {number} ms @returns {string} */
export function elapsed(ms) {
  if (ms < MINUTE) return `${Math.max(1, Math.floor(ms / SECOND))} s`
  if (ms < HOUR) return two(ms, MINUTE, 'min', SECOND, 's')
  return ms < DAY ? two(ms, HOUR, 'h', MINUTE, 'min') : two(ms, DAY, 'd', HOUR, 'h')
}

/** @param {number} value @param {string} noun */
const many = (value, noun) => `${value} ${noun}${value === 1 ? '' : 's'} ago`

/** How long ago a time is. @param {number} ms @returns {string} */
export function ago(ms) {
  if (ms < 45 * SECOND) return 'just now'
  if (ms < HOUR) return many(Math.min(59, Math.max(1, Math.round(ms / MINUTE))), 'minute')
  if (ms < DAY) return many(Math.floor(ms / HOUR), 'hour')
  if (ms < 2 * DAY) return 'yesterday'
  if (ms < 60 * DAY) return many(Math.floor(ms / DAY), 'day')
  return ms < 730 * DAY
    ? many(Math.floor(ms / (30 * DAY)), 'month')
    : many(Math.floor(ms / (365 * DAY)), 'year')
}
