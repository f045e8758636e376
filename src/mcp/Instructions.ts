/** What an agent is told when it connects: how to begin, and the few rules that hold for every tool. */

/** For the surface with every tool. */
export const instructions =
  `Belltower watches services and tells everyone when they fail: monitors, incidents, status pages, alerts.

To begin:
1. No API key yet? Call bootstrap_workspace with your agentName. It returns apiKey and claimUrl: keep the key, connect again with the header "Authorization: Bearer <apiKey>", and hand claimUrl to your human. An unclaimed workspace is deleted after 7 days.
2. Call create_channel with the address where alerts are to go: monitors made afterwards tell it of outages. Without a channel nobody is alerted.
3. Call create_service with a name and a url. With statusPage it also makes a status page that shows it. For a job that is to run every so often give periodSec instead of a url, and have the job call the pingUrl of the answer.
4. Read what happened with list_events: give the next of the last answer as after, and you miss nothing.

Every tool is an operation of the REST interface under /api/v1 with the same name and fields. A call that fails has isError and the text {"error": {"code", "message", "hint", "details"}}: decide by code; for validation_failed, details lists every field at fault.`

/** For the surface that needs no key. */
export const publicInstructions = `Belltower watches services and tells everyone when they fail. These tools need no API key.

To read a status page call public_page_status with its slug. To monitor services of your own call bootstrap_workspace with your agentName: it returns an apiKey and a claimUrl. Connect to /mcp with the header "Authorization: Bearer <apiKey>" for every tool, call create_service with a name and a url, and hand claimUrl to your human.

A call that fails has isError and the text {"error": {"code", "message", "hint", "details"}}.`
