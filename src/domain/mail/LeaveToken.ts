/** The signed token by which a recipient leaves an email channel, so that nothing needs to be stored. */
import { Option, Schema } from "effect"
import { ChannelId, WorkspaceId } from "../../../schema/Ids.ts"
import type { LinkSigner } from "../access/LinkSigner.ts"

interface Leaver {
  readonly workspaceId: WorkspaceId
  readonly channelId: ChannelId
  readonly email: string
}

const signedText = (content: string): string => `leave an email channel\n${content}`

export const leaveToken = (signer: LinkSigner, { channelId, email, workspaceId }: Leaver): string => {
  const content = Buffer.from([workspaceId, channelId, email].join(" "), "utf8").toString("base64url")
  return `${content}.${signer.sign(signedText(content))}`
}

const Content = Schema.Tuple(WorkspaceId, ChannelId, Schema.String)

export const readLeaveToken = (signer: LinkSigner, token: string): Option.Option<Leaver> => {
  const [content = "", signature = ""] = token.split(".")
  if (!signer.wasSigned(signedText(content), signature)) return Option.none()
  return Option.map(
    Schema.decodeUnknownOption(Content)(Buffer.from(content, "base64url").toString("utf8").split(" ")),
    ([workspaceId, channelId, email]) => ({ workspaceId, channelId, email })
  )
}
