/** Prompts: ways through the tools that people ask an agent for again and again. */
import type { GetPromptResult, Prompt } from "@modelcontextprotocol/sdk/types.js"
import { Either } from "effect"
import { invalidParams, type ProtocolError } from "./ProtocolError.ts"

type Given = Readonly<Record<string, string>>

interface Recipe {
  readonly prompt: Prompt
  /** What the agent is asked to do. */
  readonly text: (given: Given) => string
}

const known = (value: string | undefined, otherwise: string) => (value === undefined || value.trim() === "" ? otherwise : value)

const recipes: ReadonlyArray<Recipe> = [
  {
    prompt: {
      name: "set_up_monitoring",
      title: "Set up monitoring for this service",
      description: "Watches a service, shows it on a status page, and makes sure that somebody hears of an outage.",
      arguments: [
        { name: "url", description: "The address of the service, such as https://shop.example.com/health", required: true },
        { name: "name", description: "What people call it" },
        { name: "statusPage", description: "The status page to show it on, by name or slug" }
      ]
    },
    text: ({ name, statusPage, url = "" }) =>
      `Set up monitoring for the service at ${url} with the Belltower tools.

1. Call whoami. If you have no such tool, you have no API key: call bootstrap_workspace, keep the apiKey, hand the claimUrl to your human, and connect to /mcp with the header "Authorization: Bearer <apiKey>".
2. Call list_monitors: if something watches ${url} already, change it rather than adding a second one.
3. Find out what a good answer is: which status, which words in the body, how fast. Prefer an address that checks what the service depends on over its home page.
4. Call list_channels. If none is enabled, ask your human where alerts should go, call create_channel, and then test_channel. Do so first: a monitor is given the default channels when it is made.
5. Call create_service with the url, the name ${known(name, "people know the service by")}, ${
        statusPage === undefined ? "statusPage if people outside should see its state" : `statusPage ${statusPage}`
      }, expectedStatus, and where they help keyword, degradedAfterMs and sslExpiryDays.
6. Call run_check for the new monitor and read the evidence. If it is not up, find out why before you go on: a monitor that is wrong from the start is ignored later.
7. See channelIds of the monitor: if it is empty, nobody hears of an outage. Call update_monitor with those it should have.
8. Sum up: what is watched, how often and from where, who is told, and the address of the status page.`
  },
  {
    prompt: {
      name: "investigate_incident",
      title: "Investigate this incident",
      description: "Finds out what failed, since when and why, and what to do about it.",
      arguments: [{ name: "incident", description: "The id of an incident or a monitor, or the monitor's name", required: true }]
    },
    text: ({ incident = "" }) =>
      `Investigate ${incident} with the Belltower tools. Change nothing until you have told your human what you found.

1. Find the monitor: list_monitors shows each with its state and openIncidentId; get_monitor tells its recent checks and latencies.
2. Read what happened around it with list_events, types monitor.down, monitor.up, monitor.degraded, incident.created, incident.updated, incident.resolved.
3. Call list_checks for the monitor with outcome down, and get_check for the first failure and the latest: compare cause, statusCode, error, timings and evidence. cause is stable and made for you to decide by.
4. Is it one region or all? The checks name theirs; list_regions tells whether a region itself is unhealthy.
5. Is it one monitor or many? Others that failed within the same minutes point to what they share: a host, a certificate, a provider.
6. Call run_check to see how it is right now. Leave apply out, so that nothing is told to anyone.
7. Report: what is affected, since when, the most likely cause with the evidence for it, what speaks against it, and what to do next.`
  },
  {
    prompt: {
      name: "review_monitoring",
      title: "Review how this workspace is monitored",
      description: "Looks for what is not watched, what cries wolf and what nobody would hear of.",
      arguments: []
    },
    text: () =>
      `Review how this workspace is monitored, with the Belltower tools. Only read; propose changes and make none.

1. Call list_monitors, list_channels, list_pages and list_regions.
2. Name what nobody would hear of: monitors without channels, channels that are disabled, monitors that are paused for long.
3. Name what cries wolf: with list_events of types monitor.down and monitor.up find monitors that went down and came back within minutes; list_checks tells whether a higher failureThreshold, another region or a longer timeoutMs would have spared people.
4. Name what is watched too loosely: an http monitor that takes any 2xx of a home page, no sslExpiryDays, no degradedAfterMs where get_monitor shows a steady p95.
5. Name components of pages that no monitor stands behind.
6. Report the five changes that matter most, each as the tool call that would make it.`
  }
]

/** What can be asked for. */
export const prompts: ReadonlyArray<Prompt> = recipes.map(({ prompt }) => prompt)

/** A prompt with its arguments filled in. */
export const promptOf = (name: string, given: Given): Either.Either<GetPromptResult, ProtocolError> => {
  const recipe = recipes.find(({ prompt }) => prompt.name === name)
  if (recipe === undefined) return Either.left(invalidParams(`Unknown prompt: ${name}`))
  const missing = recipe.prompt.arguments?.find((one) => one.required === true && known(given[one.name], "") === "")
  if (missing !== undefined) return Either.left(invalidParams(`The prompt ${name} needs the argument ${missing.name}`))
  const { description } = recipe.prompt
  return Either.right({
    ...(description === undefined ? {} : { description }),
    messages: [{ role: "user", content: { type: "text", text: recipe.text(given) } }]
  })
}
