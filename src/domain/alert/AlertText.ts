/** The text of a message, with its notes, as a service shows it. */
import { chatDialects, forChats } from "../markdown/ChatDialects.ts"
import { plainText } from "../markdown/MarkdownText.ts"
import { renderWithin } from "../markdown/MarkdownWithin.ts"
import { readMarkdown, readPlain } from "../markdown/ReadMarkdown.ts"
import type { AlertMessage } from "./AlertMessage.ts"

type Text = Pick<AlertMessage, "text" | "isMarkdown" | "notes">

const blocksOf = ({ isMarkdown = false, notes = [], text }: Text) => [
  ...(isMarkdown ? readMarkdown(text) : readPlain(text)),
  ...notes.flatMap(readPlain)
]

/** For services that format nothing; empty if there is none. */
export const alertText = (message: Text): string => plainText(blocksOf(message))

/** In the syntax of a chat service, within a length; empty if there is none. */
export const chatText = (chat: keyof typeof chatDialects, message: Text, max: number): string =>
  renderWithin(chatDialects[chat], forChats(blocksOf(message)), max)
