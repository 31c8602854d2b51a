/**
 * How a run's progress says that its source asked for a pause.
 *
 * @module
 */

/** Follows what is counted: `10 articles read, paused by the site`. */
export const PAUSED = ', paused by the site'
