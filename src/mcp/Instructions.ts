/** What an agent reads when it connects: how to begin, and the few rules that hold for every tool. */

/** For the surface with every tool. */
export const instructions =
  `Belltower monitors services and alerts people when they fail: monitors, incidents, status pages, alerts.

To begin:
1. Call whoami: it names your key, your workspace and its limits. If no human has claimed the workspace, hand them the claimUrl of bootstrap_workspace: an unclaimed workspace is deleted after 7 days.
2. Call create_channel with the address that receives alerts. New monitors use it. Without a channel nobody is alerted.
3. Call create_service with a name and a url. With statusPage it also creates a status page that shows the service. For a scheduled job, give periodSec instead of a url, and have the job call the pingUrl of the answer.
4. Read what happened with list_events. Pass next of the last answer as after, and you miss nothing.

Every tool is an operation of the REST interface under /api/v1 with the same name and fields. A call that fails has isError and the text {"error": {"code", "message", "hint", "details"}}: decide by code; for validation_failed, details lists every field at fault.`

/** For the surface that needs no key. */
export const publicInstructions = `Belltower monitors services and alerts people when they fail. These tools need no API key.

To read a status page call public_page_status with its slug. To monitor your own services, call bootstrap_workspace with your agentName. It returns an apiKey and a claimUrl. Keep the key, hand claimUrl to your human, connect to /mcp with the header "Authorization: Bearer <apiKey>" for every tool, and call create_service with a name and a url. An unclaimed workspace is deleted after 7 days.

A call that fails has isError and the text {"error": {"code", "message", "hint", "details"}}.`
