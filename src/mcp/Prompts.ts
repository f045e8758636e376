/** MCP prompts: step-by-step instructions for common tasks. */
import type { GetPromptResult, Prompt } from "@modelcontextprotocol/sdk/types.js"
import { Either } from "effect"
import { cut } from "../domain/tools/text/TrimText.ts"
import { invalidParams, type ProtocolError, unknown } from "./protocol/ProtocolError.ts"
import { targetDataNotice } from "./TargetData.ts"
import { allTools, type OperationTool } from "./Tools.ts"

type Given = Readonly<Record<string, string>>

interface Recipe {
  readonly prompt: Prompt
  /** The tool without which a caller cannot follow it. */
  readonly needs: { readonly withKey: string; readonly withoutKey: string | null }
  readonly text: (given: Given) => string
}

/** Beyond it, an argument is no name and no address. */
const longestArgument = 2000

/** An argument as one line: a client may complete it with the name of a monitor, which must not add steps to a recipe. */
const inLine = (value: string): string => cut(value.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, " ").trim(), longestArgument)

const inLines = (given: Given): Given => Object.fromEntries(Object.entries(given).map(([name, value]) => [name, inLine(value)]))

const known = (value: string | undefined, otherwise: string) => (value === undefined || value.trim() === "" ? otherwise : value)

const recipes: ReadonlyArray<Recipe> = [
  {
    prompt: {
      name: "set_up_monitoring",
      title: "Set up monitoring for this service",
      description:
        "Creates a monitor for a service, shows it on a status page, and makes sure that somebody is alerted to outages.",
      arguments: [
        { name: "url", description: "URL of the service, such as https://shop.example.com/health", required: true },
        { name: "name", description: "Name of the service" },
        { name: "statusPage", description: "Name or slug of the status page to show it on" }
      ]
    },
    needs: { withKey: "create_service", withoutKey: "bootstrap_workspace" },
    text: ({ name, statusPage, url = "" }) =>
      `Set up monitoring for the service at ${url} with the Belltower tools.

1. Call whoami. If this tool is missing, you have no API key: call bootstrap_workspace, store the apiKey, give the claimUrl to your human, and connect to /mcp with the header "Authorization: Bearer <apiKey>".
2. Call list_monitors. If a monitor for ${url} already exists, update it instead of creating another.
3. Find out what a healthy response looks like: status code, text in the body, latency. Prefer a health endpoint that checks the dependencies of the service over its home page.
4. Call list_channels. If none is enabled, ask your human where alerts should go, call create_channel, and then test_channel. Do this first: a monitor gets the default channels when it is created.
5. Call create_service with the url, the name ${known(name, "of the service")}, ${
        statusPage === undefined ? "statusPage if the public should see its status" : `statusPage ${statusPage}`
      }, expectedStatus, and where useful keyword, degradedAfterMs and sslExpiryDays.
6. Call run_check for the new monitor and read the evidence. If it is not up, find out why before you continue: people ignore monitors that raise false alarms.
7. Check channelIds of the monitor. If it is empty, nobody is alerted to an outage: call update_monitor with the channels it should have.
8. Summarize: what is monitored, how often and from which regions, who is alerted, and the URL of the status page.`
  },
  {
    prompt: {
      name: "investigate_incident",
      title: "Investigate this incident",
      description: "Finds out what failed, when and why, and what to do about it.",
      arguments: [{ name: "incident", description: "Id of an incident or a monitor, or the name of a monitor", required: true }]
    },
    needs: { withKey: "list_monitors", withoutKey: null },
    text: ({ incident = "" }) =>
      `Investigate ${incident} with the Belltower tools. Do not change anything before you have reported your findings to your human.

1. Find the monitor: list_monitors returns the state and openIncidentId of each monitor; get_monitor returns recent checks and latencies.
2. Read the events around the incident with list_events and the types monitor.down, monitor.up, monitor.degraded, incident.created, incident.updated, incident.resolved.
3. Call list_checks for the monitor with outcome down, and get_check for the first failure and the latest: compare cause, statusCode, error, timings and evidence. cause is a stable code that you can rely on.
4. Is one region affected, or all? Each check names its region; list_regions shows whether a region itself is unhealthy.
5. Is one monitor affected, or several? Monitors that failed within the same minutes point to a shared cause: a host, a certificate, a provider.
6. Call run_check to see the current state. Omit apply, so that the check neither changes the state nor alerts anyone.
7. Report what is affected, since when, the most likely cause with the evidence for and against it, and what to do next.`
  },
  {
    prompt: {
      name: "review_monitoring",
      title: "Review the monitoring of this workspace",
      description: "Finds gaps in monitoring, noisy monitors, and outages that would alert nobody.",
      arguments: []
    },
    needs: { withKey: "list_monitors", withoutKey: null },
    text: () =>
      `Review the monitoring of this workspace with the Belltower tools. Only read: propose changes, but do not make any.

1. Call list_monitors, list_channels, list_pages and list_regions.
2. List the outages that would alert nobody: monitors without channels, disabled channels, and monitors that have been paused for a long time.
3. List the noisy monitors: use list_events with the types monitor.down and monitor.up to find monitors that went down and recovered within minutes. Use list_checks to see whether a higher failureThreshold, another region or a longer timeoutMs would have prevented the alert.
4. List the monitors that check too little: http monitors that accept any 2xx of a home page, have no sslExpiryDays, or have no degradedAfterMs although get_monitor shows a steady p95.
5. List the components of status pages that have no monitor.
6. Report the five most important changes, each as the tool call that would make it.`
  }
]

export const prompts: ReadonlyArray<Prompt> = recipes.map(({ prompt }) => prompt)

/** The prompts that a caller of these tools can follow. */
export const promptsFor = (hasKey: boolean, allowed: ReadonlyArray<OperationTool>): Array<Prompt> =>
  recipes
    .filter(({ needs: { withKey, withoutKey } }) =>
      allowed.some(({ operation }) => operation.id === (hasKey ? withKey : withoutKey))
    )
    .map(({ prompt }) => prompt)

/** The tools whose results repeat text of targets. */
const quotingTools = allTools.filter(({ quoted }) => quoted !== null).map(({ operation }) => operation.id)

/** A prompt that uses such a tool says how to treat its results. */
const withNotice = (text: string): string =>
  quotingTools.some((tool) => text.includes(tool)) ? `${text}\n\n${targetDataNotice}` : text

export const promptOf = (name: string, given: Given): Either.Either<GetPromptResult, ProtocolError> => {
  const recipe = recipes.find(({ prompt }) => prompt.name === name)
  if (recipe === undefined) return Either.left(invalidParams(unknown("prompt", name)))
  const missing = recipe.prompt.arguments?.find((one) => one.required === true && known(given[one.name], "") === "")
  if (missing !== undefined) return Either.left(invalidParams(`The prompt ${name} needs the argument ${missing.name}`))
  const { description } = recipe.prompt
  return Either.right({
    ...(description === undefined ? {} : { description }),
    messages: [{ role: "user", content: { type: "text", text: withNotice(recipe.text(inLines(given))) } }]
  })
}
