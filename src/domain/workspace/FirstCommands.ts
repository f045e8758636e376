/** The three commands of the quick start: from no account to a monitor on a status page. */

/** The commands must run in order in one shell. */
export const firstCommands = (baseUrl: string): ReadonlyArray<string> => [
  `KEY=$(curl -s ${baseUrl}/api/v1/agent/bootstrap -H 'content-type: application/json' \\\n` +
  `  -d '{"agentName":"me"}' | sed 's/.*"apiKey":"\\([^"]*\\)".*/\\1/')`,
  `curl -s ${baseUrl}/api/v1/services -H "authorization: Bearer $KEY" -H 'content-type: application/json' \\\n` +
  `  -d '{"name":"Example","url":"https://example.com/","statusPage":"My status"}'`,
  `curl -s "${baseUrl}/api/v1/events" -H "authorization: Bearer $KEY"`
]

export const firstPage = (baseUrl: string): string => `${baseUrl}/s/my-status`
