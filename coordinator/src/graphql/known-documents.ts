// Printed from the *.graphql files of the client and the page: npm run generate.

/** Operations that are asked for by the SHA-256 of their text. */
export const knownDocuments: Readonly<Record<string, string>> = {
  '065bcf3e486232c9b05569dd6b6909580b2e37f67b096cde532796b565effae0':
    "mutation RerunRun($input:RerunRunInput!){rerunRun(input:$input){...Started ...Refused}}fragment FileProblem on Problem{severity code file line column path message hint}fragment Refused on UserError{__typename code message ...on InvalidDefinitions{problems{...FileProblem}}...on InvalidInput{arguments:problems{path message}}...on IdempotencyConflict{runId}...on MissingBlobs{digests}...on RateLimited{retryAfterMs}}fragment Started on StartRunSuccess{__typename created dispatch reporting run{id}warnings{...FileProblem}}",
  '172501364d48d9e9386630d6f10c2fbcd934327baea0048874efa6f69cf0891a':
    "query DownloadRun($id:UUID!$format:DownloadFormat!){run(id:$id){download(format:$format){url expiresAt}}}",
  '20a5a97d64c6278f40594dedca378b2cf61c7d21f73447576efb5e7607f32013':
    "query ApiTokens{apiTokens(first:100){edges{node{id name scopes login repository createdAt expiresAt revokedAt lastUsedAt}}}}",
  '2b669c1dddd7d8a8cba75d3b8b322a39dc0ae0ceafc78723b02b523537c6468a':
    "query RunFeedback($id:UUID!){run(id:$id){feedback{checks{name externalId onlyAfterRed conclusion title summary text annotations{...LineRemark}}wantedComment{key body resolvedBody createsComment hides}}}}fragment LineRemark on Annotation{path line level title message}",
  '2df192b0c547c301e9f2119b5cf6b0f25352319050ae71eab0ba26715355b679':
    "mutation StartStoredRun($input:StartStoredRunInput!){startStoredRun(input:$input){...Started ...Refused}}fragment FileProblem on Problem{severity code file line column path message hint}fragment Refused on UserError{__typename code message ...on InvalidDefinitions{problems{...FileProblem}}...on InvalidInput{arguments:problems{path message}}...on IdempotencyConflict{runId}...on MissingBlobs{digests}...on RateLimited{retryAfterMs}}fragment Started on StartRunSuccess{__typename created dispatch reporting run{id}warnings{...FileProblem}}",
  '379148419088179a008df9801898c3654ddbd174aafc78ac4de1b862a3f3a8f0':
    "mutation CancelRun($id:UUID!){cancelRun(id:$id){...Refused ...on CancelRunSuccess{changed}}}fragment FileProblem on Problem{severity code file line column path message hint}fragment Refused on UserError{__typename code message ...on InvalidDefinitions{problems{...FileProblem}}...on InvalidInput{arguments:problems{path message}}...on IdempotencyConflict{runId}...on MissingBlobs{digests}...on RateLimited{retryAfterMs}}",
  '3cde7289a512db46f73a49c5a5299503efdd36c446ade4f3659bfc4be572ecfd':
    "query RunResult($id:UUID!){run(id:$id){id status suiteRuns{id suiteName suitePath agentName cellKey variant purpose status failureReason passedCases failedCases erroredCases skippedCases verdict{detail}}}}",
  '4a2ccaab29fe8155871fe4249eb00558cae14e128c41b25b33e2cc1121a88a5b':
    "query RunReport($id:UUID!){run(id:$id){id status conclusion verdictWord feedback{outcome headline markdown text costUsd suitesTotal suitesAffected annotations{...LineRemark}}suiteRuns{id suiteName suitePath cellKey variant purpose passedCases failedCases erroredCases verdict{detail}}}}fragment LineRemark on Annotation{path line level title message}",
  '7046ceb72118eeafec0d628ddf210e43d545a11a6ef3ba02a658a5a2b265b465':
    "query RunProgress($id:UUID!){run(id:$id){status totalCases openCases totalSuiteRuns finishedSuiteRuns poolsWithoutRunners}}",
  '8c89d3fbaa17e621f34b7206911e0353a0d6936b134e092023f58f9723aaa2e6':
    "query FindRuns($filter:RunFilter$orderBy:TimeOrder$first:Int$after:String){runs(filter:$filter orderBy:$orderBy first:$first after:$after){edges{node{id status triggeredBy verdictWord repository headSha pullRequest author createdBy createdAt durationMs costUsd head{totalCases passedCases failedCases erroredCases passRate}}}pageInfo{hasNextPage endCursor}}}",
  '96a71e7d2f0b1fda85a10a3cefacee55e4b946b7d3c0da19827d3a9ebe8c2f52':
    "mutation RepeatTestRun($input:RepeatTestRunInput!){repeatTestRun(input:$input){...Started ...Refused}}fragment FileProblem on Problem{severity code file line column path message hint}fragment Refused on UserError{__typename code message ...on InvalidDefinitions{problems{...FileProblem}}...on InvalidInput{arguments:problems{path message}}...on IdempotencyConflict{runId}...on MissingBlobs{digests}...on RateLimited{retryAfterMs}}fragment Started on StartRunSuccess{__typename created dispatch reporting run{id}warnings{...FileProblem}}",
  '981e8c8d75f56a6c4efc3db7255207af0405ca87e5873d575fd93ec828b0dd8c':
    "mutation CreateApiToken($input:CreateApiTokenInput!){createApiToken(input:$input){...Refused ...on CreateApiTokenSuccess{token apiToken{id}}}}fragment FileProblem on Problem{severity code file line column path message hint}fragment Refused on UserError{__typename code message ...on InvalidDefinitions{problems{...FileProblem}}...on InvalidInput{arguments:problems{path message}}...on IdempotencyConflict{runId}...on MissingBlobs{digests}...on RateLimited{retryAfterMs}}",
  '9b8e2198f70aaaec9dac2dd0260b15ad312512043e2d7c2a68a8ead669c66e19':
    "mutation RotateApiToken($id:UUID!$graceHours:Int){rotateApiToken(id:$id graceHours:$graceHours){...Refused ...on RotateApiTokenSuccess{token apiToken{id}}}}fragment FileProblem on Problem{severity code file line column path message hint}fragment Refused on UserError{__typename code message ...on InvalidDefinitions{problems{...FileProblem}}...on InvalidInput{arguments:problems{path message}}...on IdempotencyConflict{runId}...on MissingBlobs{digests}...on RateLimited{retryAfterMs}}",
  'a5b1577cf918251a8cb1811ae3482d1568d43fee547dd3abd83a0214cc249ea3':
    "query OnlyTestRun($id:UUID!){run(id:$id){suiteRuns{testRuns(first:1){edges{node{id}}}}}}",
  'd3cc2164cbf8ecd508133ec7103bdcd386cf2c3c57b1e2b674f52c975616d5f2':
    "query SuiteRunTestRuns($id:UUID!$after:String){suiteRun(id:$id){agentHash settingKey testRuns(first:50 after:$after){edges{node{caseName caseHash instrumentHash sortOrder repetition skipReason work outcome}}pageInfo{endCursor hasNextPage}}}}",
  'd52330c5be2df6d14e0e7bab295f4a1ec6b2817a08da6c987a8577023c74469d':
    "mutation StartRun($input:StartRunInput!){startRun(input:$input){...Started ...Refused}}fragment FileProblem on Problem{severity code file line column path message hint}fragment Refused on UserError{__typename code message ...on InvalidDefinitions{problems{...FileProblem}}...on InvalidInput{arguments:problems{path message}}...on IdempotencyConflict{runId}...on MissingBlobs{digests}...on RateLimited{retryAfterMs}}fragment Started on StartRunSuccess{__typename created dispatch reporting run{id}warnings{...FileProblem}}",
  'db32fe7e500307d1a58c10816daf1936067bcbfcf67983d1cbcc5962c2ba0c38':
    "query TestRunWork($id:UUID!){testRun(id:$id){id caseName repetition status skipReason work outcome}}",
  'de546303fd22f6f0cb67bc8159f9811d7c8b63435e37f7930e690d028ceb58a2':
    "mutation RevokeApiToken($id:UUID!){revokeApiToken(id:$id){...Refused}}fragment FileProblem on Problem{severity code file line column path message hint}fragment Refused on UserError{__typename code message ...on InvalidDefinitions{problems{...FileProblem}}...on InvalidInput{arguments:problems{path message}}...on IdempotencyConflict{runId}...on MissingBlobs{digests}...on RateLimited{retryAfterMs}}",
  'deac3add1fe9c6d36d75182a52c33a67c16c48c5b0eb0447681a79283f90ac89':
    "query Viewer{viewer{tenant login kind scopes}}",
  'ea1504a2f0f5b02c0aebb929c4745a1797621faf377ccfd9274f94469b65c22f':
    "query SuiteRunResult($id:UUID!){suiteRun(id:$id){report costUsd failures{result testRunId caseName repetition summary reasons}}}",
  'f92d9d357ae3ea6c7b93c9e7fa1013c34dac57adf5c8a544d4adc747ac3295be':
    "query SuiteRunReport($id:UUID!){suiteRun(id:$id){report}}",
  'fec9db91c13e7f4dab2b050e84ad0902bf5c27591a3756b262bb6ab687954c76':
    "mutation ExchangeToken{exchangeToken{token expiresAt reporting maxBodyBytes}}",
};
