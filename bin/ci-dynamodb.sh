#!/usr/bin/env bash
# Fetches AWS's own DynamoDB Local from Maven Central, so that the tests hold the tables to it. Where it cannot be had the
# tests print why and go on without it.
set -uo pipefail
version=2.6.1
folder="${TMPDIR:-/tmp}/weft-dynamodb-local-$version"
[ -e "$folder/DynamoDBLocal-$version.jar" ] && exit 0
if ! command -v mvn > /dev/null || ! command -v java > /dev/null; then
  echo 'DynamoDB Local is not fetched: there is no mvn or no java here'
  exit 0
fi
partial=$(mktemp -d)
trap 'rm -rf "$partial"' EXIT
cat > "$partial/pom.xml" << POM
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>weft</groupId>
  <artifactId>dynamodb-local</artifactId>
  <version>1</version>
  <dependencies>
    <dependency>
      <groupId>com.amazonaws</groupId>
      <artifactId>DynamoDBLocal</artifactId>
      <version>$version</version>
    </dependency>
  </dependencies>
</project>
POM
if mvn -q -f "$partial/pom.xml" dependency:copy-dependencies -DoutputDirectory="$partial/lib"; then
  mv "$partial/lib" "$folder" 2> /dev/null || true
else
  echo 'DynamoDB Local is not fetched: mvn failed; see its messages above'
fi
