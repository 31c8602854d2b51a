/** All surfaces, each with its part of the cases. */
import { openHttp } from './http.ts'
import { openSources } from './sources.ts'
import type { Surface } from './surface.ts'

export const SURFACES: readonly Surface[] = [
  { name: 'sources', share: 0.1, reaches: ['items', 'no items', 'source-changed'], open: openSources },
  { name: 'http', share: 0.9, reaches: ['200', '202', '400', '401', '404', '422'], open: openHttp },
]
