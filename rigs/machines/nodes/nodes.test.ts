/**
 * Several nodes on shared stores. All tests share one set of nodes, because a start costs more than most tests. The last
 * file restores the event store from a backup.
 *
 * @module
 */
import './across.ts'
import './live-items.ts'
import './hanging.ts'
import './restored.ts'
