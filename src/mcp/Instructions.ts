/** The instructions that agents receive when they connect: the first steps, and the rules for every tool. */

import { targetDataNotice } from "./TargetData.ts"

/** For /mcp. */
export const instructions =
  `Belltower monitors services and alerts people when they fail: monitors, incidents, status pages, alerts.

Get started:
1. Call whoami to see your key, your workspace and its limits. If no human has claimed the workspace, give your human its claimUrl: unclaimed workspaces are deleted after 7 days.
2. Call create_channel with the address that receives alerts. New monitors use this channel. Without a channel, nobody is alerted.
3. Call create_service with a name and a url. With statusPage, it also shows the service on a status page. For a job, pass schedule (its cron line) and timezone, or periodSec, instead of a url, and run it by the crontab line in the response, or have it call the pingUrl.
4. Call list_events to see what happened. Pass next of each response as after in the next call to receive every event.

Connect to /mcp?toolsets=essential for a list of about 25 tools; search_tools and use_tool give the others. Lists have 20 rows with what decisions need; limit gives more, fields (names with commas) or full: true other fields. You can use the slug of a status page as its id.

Every tool is an operation of the REST API under /api/v1, with the same name and fields. A failed call returns isError and the text {"error": {"code", "message", "hint", "details"}}. Branch on code; for validation_failed, message or details names every invalid field.

${targetDataNotice}`

/** For /mcp/public. */
export const publicInstructions = `Belltower monitors services and alerts people when they fail. These tools need no API key.

To read a status page, call public_page_status with its slug. To monitor your own services, call bootstrap_workspace with your agentName. It returns an apiKey and a claimUrl. Store the key and give the claimUrl to your human: unclaimed workspaces are deleted after 7 days, and after one if they stay empty. If the call is forbidden, pass an invitation of the operator. Then connect to /mcp with the header "Authorization: Bearer <apiKey>" to use every tool, and call create_service with a name and a url.

A failed call returns isError and the text {"error": {"code", "message", "hint", "details"}}. ${targetDataNotice}`
