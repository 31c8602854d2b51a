/**
 * YouTube: the Shorts of public channels.
 *
 * @module
 */
import { BROWSER, defineSource } from 'gleaner/plugin'
import { channelShorts } from './channel-shorts.ts'

export default defineSource({
  name: 'video',
  title: 'Video channels (YouTube)',
  origin: 'https://www.youtube.com',
  hosts: ['youtube.com', 'm.youtube.com'],
  imageHosts: ['i.ytimg.com', 'yt3.ggpht.com', 'yt3.googleusercontent.com'],
  userAgent: BROWSER,
  pace: { perSecond: 1, concurrent: 2 },
  interstitials: [
    { url: /^https:\/\/consent\.(?:youtube|google)\.[a-z.]+\//, ends: 'source-blocked' },
    { url: /^https:\/\/[a-z.]+\.(?:youtube|google)\.[a-z.]+\/sorry\//, ends: 'source-blocked' },
    { url: /^https:\/\/accounts\.(?:youtube|google)\.[a-z.]+\//, ends: 'source-login-required' },
  ],
  tasks: [channelShorts],
})
