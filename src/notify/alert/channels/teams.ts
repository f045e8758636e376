/**
 * Microsoft Teams channels: an Adaptive Card, posted to the webhook of a workflow
 * (https://learn.microsoft.com/connectors/teams/#microsoft-teams-webhook).
 */
import { readTeams } from "../../../domain/alert/answers/TeamsAnswer.ts"
import { teamsMessage } from "../../../domain/alert/TeamsMessage.ts"
import { makeChatWebhook } from "../ChatWebhook.ts"

const meanings: Readonly<Record<number, string>> = {
  400: "Teams refuses the message; check that the workflow starts with \"When a Teams webhook request is received\"",
  401: "The signature in the URL is not valid; copy the URL of the workflow again",
  404: "Teams does not know this workflow; create a new one",
  410: "The workflow is gone; create a new one",
  429: "Microsoft limits how often the workflow may run"
}

export const teams = makeChatWebhook("teams", teamsMessage, { meanings, read: readTeams })
