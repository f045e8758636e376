/** The signed token by which a recipient leaves an email channel, so that nothing needs to be stored. */
import { Option, Schema } from "effect"
import { ChannelId, WorkspaceId } from "../../../schema/Ids.ts"
import { isSameToken } from "../secret/SameToken.ts"

interface Leaver {
  readonly workspaceId: WorkspaceId
  readonly channelId: ChannelId
  readonly email: string
}

type Hash = (text: string) => Buffer

/** Keeps the signature from being valid for anything else that the same key signs. */
const purpose = "leave an email channel"

const signed = (hash: Hash, content: string): string => hash(`${purpose}\n${content}`).toString("base64url")

export const leaveToken = (hash: Hash, { channelId, email, workspaceId }: Leaver): string => {
  const content = Buffer.from([workspaceId, channelId, email].join(" "), "utf8").toString("base64url")
  return `${content}.${signed(hash, content)}`
}

const Content = Schema.Tuple(WorkspaceId, ChannelId, Schema.String)

export const readLeaveToken = (hash: Hash, token: string): Option.Option<Leaver> => {
  const [content = "", signature = ""] = token.split(".")
  if (!isSameToken(signature, signed(hash, content))) return Option.none()
  return Option.map(
    Schema.decodeUnknownOption(Content)(Buffer.from(content, "base64url").toString("utf8").split(" ")),
    ([workspaceId, channelId, email]) => ({ workspaceId, channelId, email })
  )
}
