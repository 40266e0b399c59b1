/** Every text that this page sends. A test validates each of them against `schema.graphql`. */
const summary = `id status event repository host headSha baseSha pullRequest ref createdAt completedAt createdBy triggeredBy
    verdictWord conclusion totalCases openCases passedCases failedCases erroredCases skippedCases`;

export const queries = {
  runs: `query DashboardRuns($after: String) {
    viewer { login tenant }
    runs(first: 25, after: $after) { edges { node { ${summary} } } pageInfo { hasNextPage endCursor } }
  }`,
  run: `query DashboardRun($id: UUID!) {
    run(id: $id) {
      ${summary} poolsWithoutRunners
      suiteRuns {
        id suiteName suitePath cellKey variant purpose status failureReason
        totalCases openCases passedCases failedCases erroredCases skippedCases passRate
        verdict { word title paragraph lines newlyFailing flagged baselineLabel }
      }
    }
  }`,
  testRuns: `query DashboardTestRuns($id: UUID!, $after: String) {
    suiteRun(id: $id) {
      testRuns(first: 100, after: $after) {
        edges { node { id caseName repetition status } }
        pageInfo { hasNextPage endCursor }
      }
    }
  }`,
  failures: `query DashboardFailures($id: UUID!) {
    suiteRun(id: $id) { failures { caseName repetition summary reasons } }
  }`,
  testRun: `query DashboardTestRun($id: UUID!) {
    testRun(id: $id) {
      status errorKind errorMessage skipReason testInput response attempt executionTimeMs model toolsMatched
      checks { type status }
      toolCalls { name args result error }
      metricResults { metricName score threshold passed error reasoning }
      outcomes { passed error criteria { requirement status reasoning } }
      transcript { role text }
    }
  }`,
  progress: `subscription DashboardProgress($id: UUID!) {
    runProgress(id: $id) { status totalCases openCases finishedSuiteRuns }
  }`,
} as const;
