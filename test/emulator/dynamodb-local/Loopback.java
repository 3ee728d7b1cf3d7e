import com.amazonaws.services.dynamodbv2.local.server.LocalDynamoDBRequestHandler;
import com.amazonaws.services.dynamodbv2.local.server.LocalDynamoDBServerHandler;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;

/** DynamoDB Local in memory, open to this machine only; its own launcher listens everywhere. Ends when its input does. */
public class Loopback {
  public static void main(String[] args) throws Exception {
    var requests = new LocalDynamoDBRequestHandler(0, true, null, true, false);
    var server = new Server();
    var connector = new ServerConnector(server);
    connector.setHost("127.0.0.1");
    connector.setPort(0);
    server.addConnector(connector);
    server.setHandler(new LocalDynamoDBServerHandler(requests, "*"));
    server.start();
    System.out.println("port " + connector.getLocalPort());
    while (System.in.read() >= 0) {
      // Nothing is said to it.
    }
    System.exit(0);
  }
}
