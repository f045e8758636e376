/** The weekly digest. */
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { DigestPreview, DigestPreviewInput, DigestSettings, DigestSettingsUpdate } from "../digest/Digest.ts"
import { ReadAccess, WriteAccess } from "./Access.ts"
import { ReachesOutWith } from "./parts/Hints.ts"

export class DigestGroup extends HttpApiGroup.make("Digest")
  .annotate(OpenApi.Description, "The digest that is mailed on Mondays at 08:00 in the workspace's time zone.")
  .add(
    HttpApiEndpoint.get("get_digest_settings", "/digest/settings")
      .addSuccess(DigestSettings)
      .middleware(ReadAccess)
      .annotate(OpenApi.Summary, "Get the settings of the weekly digest")
  )
  .add(
    HttpApiEndpoint.patch("update_digest_settings", "/digest/settings")
      .setPayload(DigestSettingsUpdate)
      .addSuccess(DigestSettings)
      .middleware(WriteAccess)
      .annotate(OpenApi.Summary, "Update the settings of the weekly digest")
  )
  .add(
    HttpApiEndpoint.post("preview_digest", "/digest/preview")
      .setPayload(DigestPreviewInput)
      .addSuccess(DigestPreview)
      .middleware(ReadAccess)
      .annotate(ReachesOutWith, "ai")
      .annotate(OpenApi.Summary, "Preview the weekly digest")
      .annotate(OpenApi.Description, "Sends nothing.")
  )
{}
