/** The signer of links and sessions, with the keys of the installation. */
import { Context, Effect, Layer, Option } from "effect"
import { type LinkSigner, makeLinkSigner } from "../domain/access/LinkSigner.ts"
import { InstallationKeys } from "./InstallationKeys.ts"

const linksKeyName = "links"

/** The key of links that an earlier version has signed. It followed from the secret, so a rotation of the secret ends it. */
export const formerLinksKeyName = "links_former"

export class LinkKeys extends Context.Tag("belltower/LinkKeys")<LinkKeys, LinkSigner>() {
  static readonly layer: Layer.Layer<LinkKeys, never, InstallationKeys> = Layer.effect(
    LinkKeys,
    Effect.flatMap(InstallationKeys, ({ find, key }) =>
      Effect.zipWith(
        key(linksKeyName),
        find(formerLinksKeyName),
        (present, former) => makeLinkSigner(present, Option.getOrNull(former))
      ))
  )
}
